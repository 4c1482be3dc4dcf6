#include "loadtest/client/roaming_user.h"

#include <algorithm>

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReconnectDelay{100};
constexpr milliseconds kRetryDelay{200};

milliseconds RetryDelay(const Reply& reply) {
  const Seq told = reply.Number("retry_after_ms");
  return told == 0 ? kRetryDelay : milliseconds(std::min<Seq>(told, 1'000));
}

}  // namespace

RoamingUser::RoamingUser(ClientLoop& loop, std::vector<Endpoint> nodes, std::size_t first,
                         std::string user, const std::vector<std::string>& rooms)
    : loop_(loop), nodes_(std::move(nodes)), node_(first), user_(std::move(user)) {
  for (const std::string& room : rooms) rooms_[room];
  Connect();
}

void RoamingUser::Connect() {
  ChatSession::Resume resume;
  for (const auto& [room, account] : rooms_) {
    if (account.last > 0) resume[room] = account.last;
  }
  sessions_.push_back(
      std::make_unique<ChatSession>(loop_, nodes_[node_], user_, std::move(resume)));
  session().OnWelcome([this] { OnWelcome(); });
  session().OnEnd([this] { ReconnectLater(); });
  session().OnDelivery(
      [this](const std::string& room, const Delivery& delivery) { OnDelivery(room, delivery); });
}

void RoamingUser::ReconnectLater() {
  if (retired_) return;
  node_ = (node_ + 1) % nodes_.size();
  Later(kReconnectDelay, [this] { Connect(); });
}

void RoamingUser::MoveTo(std::size_t node) {
  session().connection().Abort();
  node_ = node;
  Connect();
}

void RoamingUser::Retire() {
  retired_ = true;
}

void RoamingUser::OnWelcome() {
  for (auto& [room, account] : rooms_) {
    const RoomView& view = session().room(room);
    if (!view.joined) {
      Join(room);
    } else if (!view.recovered) {
      ++account.not_recovered;
    }
  }
  for (const auto& [cid, pending] : pending_) Transmit(cid);
}

void RoamingUser::Join(const std::string& room) {
  const Seq last = rooms_[room].last;
  const auto rid = last > 0 ? session().Join(room, last) : session().Join(room);
  session().OnReply(rid, [this, room](const Reply& reply) {
    if (reply.ok() || retired_) return;
    ++errors_["join " + reply.code];
    Later(RetryDelay(reply), [this, room] { Join(room); });
  });
}

bool RoamingUser::settled() const {
  ChatSession& current = *sessions_.back();
  return current.welcome() && !current.closed() &&
         std::all_of(rooms_.begin(), rooms_.end(),
                     [&](const auto& entry) { return current.room(entry.first).joined; });
}

void RoamingUser::Send(const std::string& room, const std::string& cid, const std::string& text) {
  pending_[cid] = {room, text};
  if (session().room(room).joined && !session().closed()) Transmit(cid);
}

void RoamingUser::Transmit(const std::string& cid) {
  const auto it = pending_.find(cid);
  if (it == pending_.end() || retired_) return;
  Pending& pending = it->second;
  const auto rid = session().Send(pending.room, cid, pending.text, pending.sent_before);
  pending.sent_before = true;
  session().OnReply(rid, [this, cid](const Reply& reply) { OnSendReply(cid, reply); });
}

void RoamingUser::OnSendReply(const std::string& cid, const Reply& reply) {
  if (reply.ok()) {
    acked_[cid] = {reply.Text("id"), reply.Number("seq"), reply.Flag("duplicate")};
    pending_.erase(cid);
    return;
  }
  ++errors_[reply.code];
  Later(RetryDelay(reply), [this, cid] { Transmit(cid); });
}

void RoamingUser::OnDelivery(const std::string& room, const Delivery& delivery) {
  RoomAccount& account = rooms_[room];
  if (!account.ids.insert(delivery.id).second) ++account.twice;
  if (delivery.seq <= account.last) ++account.out_of_order;
  account.last = delivery.seq;
  account.deliveries.push_back(delivery);
}

void RoamingUser::Later(Clock::duration delay, std::function<void()> work) {
  const std::size_t session_number = sessions_.size();
  loop_.At(Clock::now() + delay,
           [this, alive = std::weak_ptr<bool>(alive_), session_number, work = std::move(work)] {
             if (alive.expired() || retired_ || sessions_.size() != session_number) return;
             work();
           });
}

}  // namespace minichat::loadtest
