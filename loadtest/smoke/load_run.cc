#include "loadtest/smoke/load_run.h"

#include <algorithm>

namespace minichat::loadtest {
namespace {

constexpr std::chrono::milliseconds kLate{50};
constexpr std::chrono::milliseconds kJoinAgain{200};

}  // namespace

LoadRun::LoadRun(ClientLoop& loop, const Cluster& cluster, const LoadPlan& plan)
    : loop_(loop), cluster_(cluster), plan_(plan), messages_(plan.shape().messages) {}

LoadRun::~LoadRun() {
  for (const ClientLoop::TimerId& timer : timers_) loop_.Cancel(timer);
}

void LoadRun::At(Clock::time_point when, std::function<void()> work) {
  timers_.push_back(loop_.At(when, std::move(work)));
}

Status LoadRun::Connect(Clock::duration limit) {
  for (std::size_t room = 0; room < plan_.shape().rooms; ++room) {
    for (std::size_t member = 0; member < plan_.shape().members; ++member)
      OpenSession(room, member);
  }
  const auto all = [this](auto state) {
    return [this, state] { return std::all_of(sessions_.begin(), sessions_.end(), state); };
  };
  if (!loop_.RunUntil(all([](const auto& s) { return s->welcome(); }), limit)) {
    return Unavailable("connect: not every session was welcomed");
  }
  for (std::size_t i = 0; i < sessions_.size(); ++i) Join(i);
  std::size_t next = 0;  // those before it have joined
  const auto joined = [this, &next] {
    while (next < sessions_.size() &&
           sessions_[next]->room(plan_.Room(next / plan_.shape().members)).joined) {
      ++next;
    }
    return next == sessions_.size();
  };
  if (loop_.RunUntil(joined, limit)) return {};
  return Unavailable("join: not every session joined" +
                     (join_error_.empty() ? "" : "; the last answer was " + join_error_));
}

// Getting in is not what is measured: a refusal that may pass is tried again.
void LoadRun::Join(std::size_t session) {
  const std::string room = plan_.Room(session / plan_.shape().members);
  const ChatSession::Rid rid = sessions_[session]->Join(room);
  sessions_[session]->OnReply(rid, [this, session](const Reply& reply) {
    if (reply.ok()) return;
    join_error_ = reply.code;
    At(Clock::now() + kJoinAgain, [this, session] { Join(session); });
  });
}

void LoadRun::OpenSession(std::size_t room, std::size_t member) {
  const ClusterNode& node = cluster_.nodes[plan_.NodeOf(room, member)];
  sessions_.push_back(std::make_unique<ChatSession>(loop_, node.client, plan_.User(room, member)));
  sessions_.back()->OnDelivery(
      [this](const std::string&, const Delivery& delivery) { OnDelivery(delivery); });
}

void LoadRun::Send(Clock::duration patience, const std::function<bool()>& go_on) {
  start_ = Clock::now();
  SendDue();
  const auto over = [this] { return Complete(); };
  const Clock::time_point give_up = start_ + plan_.SendTime(plan_.shape().messages - 1) + patience;
  while (Clock::now() < give_up && !loop_.RunUntil(over, std::chrono::seconds(1)) && go_on()) {
  }
}

void LoadRun::SendDue() {
  const Clock::time_point now = Clock::now();
  while (sent_ < messages_.size() && start_ + plan_.SendTime(sent_) <= now) SendOne(sent_);
  if (sent_ < messages_.size()) At(start_ + plan_.SendTime(sent_), [this] { SendDue(); });
}

void LoadRun::SendOne(std::size_t message) {
  const std::size_t room = plan_.RoomOf(message);
  ChatSession& session = SessionOf(room, plan_.SenderOf(message));
  const std::string cid = plan_.Cid(message);
  const ChatSession::Rid rid = session.Send(plan_.Room(room), cid, cid);
  session.OnReply(rid, [this, message](const Reply& reply) { OnSendReply(message, reply); });
  messages_[message].sent = true;
  ++sent_;
  if (Clock::now() > start_ + plan_.SendTime(message) + kLate) ++late_sends_;
}

void LoadRun::OnSendReply(std::size_t message, const Reply& reply) {
  ++answered_;
  if (!reply.ok()) {
    ++errors_[reply.code];
    return;
  }
  messages_[message].acked = true;
  messages_[message].id = reply.Text("id");
  messages_[message].seq = reply.Number("seq");
  ++acked_;
  ack_ms_.push_back(SinceIntended(message));
}

void LoadRun::OnDelivery(const Delivery& delivery) {
  const std::size_t message = plan_.MessageOf(delivery.text);
  if (message == messages_.size()) return;
  ++delivered_;
  delivery_ms_.push_back(SinceIntended(message));
}

double LoadRun::SinceIntended(std::size_t message) const {
  const std::chrono::duration<double, std::milli> since =
      Clock::now() - (start_ + plan_.SendTime(message));
  return since.count();
}

bool LoadRun::Complete() const {
  return answered_ == messages_.size() && delivered_ >= acked_ * plan_.shape().members;
}

void LoadRun::Close() {
  for (const auto& session : sessions_) session->connection().Close(1000);
  const auto closed = [this] { return closed_sessions() == sessions_.size(); };
  // A node that does not answer the close is its own finding elsewhere; here it is only tidiness.
  loop_.RunUntil(closed, std::chrono::seconds(2), std::chrono::milliseconds(10));
}

std::size_t LoadRun::closed_sessions() const {
  return static_cast<std::size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const auto& s) { return s->closed(); }));
}

const RoomView& LoadRun::ViewOf(std::size_t room, std::size_t member) {
  return SessionOf(room, member).room(plan_.Room(room));
}

Latency LoadRun::Summarize(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](std::size_t percent) {
    return samples[std::min(samples.size() - 1, samples.size() * percent / 100)];
  };
  return {at(50), at(99), samples.back()};
}

}  // namespace minichat::loadtest
