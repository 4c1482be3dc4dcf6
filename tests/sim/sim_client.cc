#include "tests/sim/sim_client.h"

#include <algorithm>
#include <utility>

#include "tests/sim/observer.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_relay.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

using core::RoomId;
using core::Seq;

SimClient::SimClient(SimWorld& world, std::string name, core::UserId user)
    : world_(world), name_(std::move(name)), user_(std::move(user)) {}

void SimClient::Start() {
  for (const RoomId& room : world_.rooms()) {
    if (world_.random().Chance(.75)) wanted_.insert(room);
  }
  world_.Spawn(KeepConnected());
  world_.Spawn(Live());
}

// ---- Staying connected and joined

Task<void> SimClient::KeepConnected() {
  Random& random = world_.random();
  for (;;) {
    co_await world_.Sleep(random.Uniform(.05, .3));
    if (world_.now() < away_until_) continue;
    if (link_ == nullptr && !connecting_) {
      TryToConnect();
    } else if (connecting_ && world_.now() - connecting_since_ > 2) {
      connecting_ = false;
    } else if (link_ != nullptr) {
      // The client's own ping has timed out.
      if (link_->node().hung() && random.Chance(.03)) {
        OnLost(SimLinkPtr(link_));
      } else {
        JoinWanted();
        AskWho();
      }
    }
  }
}

void SimClient::TryToConnect() {
  std::vector<SimNode*> living;
  for (const auto& node : world_.nodes()) {
    if (node->alive()) living.push_back(node.get());
  }
  if (living.empty()) return;
  SimNode* node = world_.random().Pick(living);
  if (node->hung() && world_.random().Chance(.8)) return;
  connecting_ = true;
  connecting_since_ = world_.now();
  world_.timeline().After(world_.Net(), [this, node, epoch = node->epoch()] {
    if (node->epoch() != epoch) return;
    node->Arrive([this, node] {
      auto link = std::make_shared<SimLink>(world_, *this, *node);
      node->AddLink(link);
      link->Open(user_);
    });
  });
}

void SimClient::OnWelcome(const SimLinkPtr& link) {
  if (!connecting_ || link_ != nullptr) return;
  connecting_ = false;
  if (link->node().epoch() != link->epoch() || !link->node().alive()) return;
  link_ = link;
  if (!absences_.empty()) absences_.back().second = world_.now();
  if (world_.random().Chance(.5)) Resume(link);
}

// All rooms at once, as a hello with `resume` does.
void SimClient::Resume(const SimLinkPtr& link) {
  std::vector<std::pair<RoomId, Seq>> rooms;
  std::vector<std::pair<RoomId, std::uint64_t>> visits;
  for (const auto& [room, interval] : present_) {
    if (!wanted_.contains(room)) continue;
    rooms.emplace_back(room, last_seq_[room]);
    visits.emplace_back(room, visits_[room]);
    next_join_[room] = world_.now() + 1.5;
  }
  if (rooms.empty()) return;
  world_.observer().Note("resumes");
  link->ToNode([this, link, rooms, visits](core::ChatNode& chat) {
    link->ResumeBegins();
    chat.Resume(link->session(), rooms,
                [this, link, visits](const std::vector<core::ClientResult<core::JoinReply>>& all) {
                  for (std::size_t i = 0; i < all.size(); ++i) {
                    const auto& [room, visit] = visits[i];
                    AnswerJoin(link, all[i], room, visit);
                  }
                  link->ResumeEnds();
                });
  });
}

void SimClient::JoinWanted() {
  for (const RoomId& room : wanted_) {
    const auto present = present_.find(room);
    if (present != present_.end() && present->second->IsJoinedOn(link_)) continue;
    if (next_join_[room] >= world_.now()) continue;
    next_join_[room] = world_.now() + 1.5;
    std::optional<Seq> since;
    if (present != present_.end()) since = last_seq_[room];
    link_->ToNode([this, link = link_, room, since, visit = visits_[room]](core::ChatNode& chat) {
      chat.Join(link->session(), room, since,
                [this, link, room, visit](const core::ClientResult<core::JoinReply>& result) {
                  AnswerJoin(link, result, room, visit);
                });
    });
  }
}

// As a client does that shows who is there: once after each join, then it listens.
void SimClient::AskWho() {
  for (const auto& [room, interval] : present_) {
    if (!interval->IsJoinedOn(link_) || online_.contains(room)) continue;
    if (next_who_[room] >= world_.now()) continue;
    next_who_[room] = world_.now() + 1;
    link_->ToNode([this, link = link_, room = room](core::ChatNode& chat) {
      chat.Who(link->session(), {room, {}},
               [this, link, room](core::ClientResult<core::WhoPage> who) {
                 link->ToClient([this, link, room, who = std::move(who)] {
                   const auto* page = std::get_if<core::WhoPage>(&who);
                   if (link != link_ || page == nullptr || !present_.contains(room)) return;
                   std::set<core::UserId>& online = online_[room];
                   online.clear();
                   for (const auto& [user, sessions] : page->users) online.insert(user);
                   TraceShown(room, online);
                 });
               });
    });
  }
}

void SimClient::TraceShown(const RoomId& room, const std::set<core::UserId>& users) const {
  if (!world_.tracing()) return;
  std::string text = name_ + ": is shown " + room.value() + ":";
  for (const core::UserId& user : users) text += " " + user.value();
  world_.Trace(text);
}

void SimClient::OnNotice(const SimLinkPtr& link, const core::NoticePtr& notice) {
  if (link != link_) return;
  if (world_.tracing()) world_.Trace(name_ + ": is told " + *notice->encoded);
  if (notice->kind == core::Notice::Kind::kTyping) return world_.observer().Note("typing_told");
  const auto online = online_.find(notice->room);
  if (online == online_.end()) return;
  if (notice->kind == core::Notice::Kind::kOnline) {
    online->second.insert(notice->user);
  } else {
    online->second.erase(notice->user);
  }
}

const std::set<core::UserId>* SimClient::OnlineIn(const RoomId& room) const {
  const auto online = online_.find(room);
  return online == online_.end() ? nullptr : &online->second;
}

// On the node: the answer sets out.
void SimClient::AnswerJoin(const SimLinkPtr& link,
                           const core::ClientResult<core::JoinReply>& result, const RoomId& room,
                           std::uint64_t visit) {
  const auto generation = link->node().JoinGeneration(link->session(), room);
  link->ToClient([this, link, result, room, visit, generation] {
    OnJoined(link, result, room, visit, generation);
  });
}

void SimClient::OnJoined(const SimLinkPtr& link, const core::ClientResult<core::JoinReply>& result,
                         const RoomId& room, std::uint64_t visit, core::Generation generation) {
  if (link != link_ || visit != visits_[room]) return;
  const auto* reply = std::get_if<core::JoinReply>(&result);
  if (reply == nullptr) {
    next_join_[room] = world_.now() + .3;
    return;
  }
  if (!wanted_.contains(room)) return;
  if (present_.contains(room) && !reply->recovered) {
    End(room, "unrecovered");
    world_.observer().Note("unrecovered");
  }
  const auto present = present_.find(room);
  Interval& interval = present != present_.end() ? *present->second
                                                 : Begin(room, reply->cursor, generation, nullptr);
  interval.links.push_back(link);
  interval.generations.emplace(link, generation);
  interval.joined_at = moved_at_ = world_.now();
  if (world_.tracing()) {
    world_.Trace(name_ + ": joined " + room.value() + " on " + link->node().name().value() +
                 ", generation " + std::to_string(generation) + ", cursor " + Show(reply->cursor) +
                 ", head " + Show(reply->head) + (reply->recovered ? "" : ", not recovered"));
  }
}

Interval& SimClient::Begin(const RoomId& room, Seq start, core::Generation generation,
                           const SimLinkPtr& link) {
  auto interval = std::make_shared<Interval>();
  interval->room = room;
  interval->start = start;
  interval->generation = generation;
  interval->from = interval->joined_at = world_.now();
  if (link != nullptr) {
    interval->links.push_back(link);
    interval->generations.emplace(link, generation);
  }
  present_[room] = interval;
  all_.push_back(interval);
  last_seq_[room] = start;
  return *interval;
}

void SimClient::End(const RoomId& room, const std::string& why) {
  const auto present = present_.find(room);
  if (present == present_.end()) return;
  moved_at_ = world_.now();
  online_.erase(room);
  next_who_.erase(room);
  present->second->to = world_.now();
  present->second->why = why;
  present_.erase(present);
}

// ---- What comes from the node

void SimClient::OnEvent(const SimLinkPtr& link, const core::EventPtr& event) {
  if (link != link_) return;
  const auto present = present_.find(event->room);
  if (present == present_.end()) return;
  Observer& observer = world_.observer();
  observer.OnDelivery(*event);
  if (*event->encoded != SimEncoder::Expected(*event)) {
    observer.Violation("BYTES", name_ + " got '" + *event->encoded + "'");
  }
  Seq& last = last_seq_[event->room];
  if (event->place.seq <= last) {
    observer.Violation("ORDER", name_ + " has " + Show(last) + ", gets " + event->room.value() +
                                    "#" + Show(event->place.seq));
  }
  last = event->place.seq;
  present->second->received.push_back(
      {event->place.seq, event->id, event->hash, world_.now(), link});
  if (world_.tracing()) {
    world_.Trace(name_ + ": gets " + event->room.value() + "#" + Show(event->place.seq));
  }
}

void SimClient::OnGap(const SimLinkPtr& link, const RoomId& room, Seq to,
                      core::Generation generation) {
  if (link != link_ || !present_.contains(room)) return;
  End(room, "gap");
  Begin(room, to, generation, link);
  world_.observer().Note("gap_told");
}

void SimClient::OnLost(const SimLinkPtr& link) {
  if (link != link_) return;
  link_ = nullptr;
  moved_at_ = world_.now();
  online_.clear();
  next_who_.clear();
  absences_.emplace_back(world_.now(), kEnd);
  next_join_.clear();
  for (const auto& [request, callback] : std::exchange(waiting_, {})) callback({});
}

// ---- Its life

Task<void> SimClient::Live() {
  co_await world_.Sleep(world_.random().Uniform(.3, 1));
  while (world_.now() < world_.options().times.talk) {
    co_await world_.Sleep(world_.random().Exponential(world_.think()));
    Act();
  }
}

void SimClient::Act() {
  const double dice = world_.random().Uniform(0, 1);
  if (dice < .66) {
    SendSomething();
  } else if (dice < .74) {
    LeaveOrJoin();
  } else if (dice < .82) {
    Move();
  } else if (dice < .94) {
    ReadHistory();
  } else if (dice < .96) {
    GoAway();
  } else {
    Type();
  }
}

void SimClient::SendSomething() {
  Random& random = world_.random();
  const RoomId& room = random.Pick(world_.rooms());
  if (world_.IsSilent(room) || !wanted_.contains(room)) return;
  const std::string cid = NextCid();
  world_.Spawn(SendMessage(room, cid, "b1", false));
  const double dice = random.Uniform(0, 1);
  if (dice < .05) {  // the same message from the user's other device at the same moment
    for (const auto& other : world_.clients()) {
      if (other.get() == this || other->user() != user_) continue;
      world_.Spawn(other->SendMessage(room, cid, "b1", false));
    }
  } else if (dice < .08) {
    world_.Spawn(SendMessage(room, cid, "b2", false));
  }
}

void SimClient::Type() {
  if (link_ == nullptr || present_.empty()) return;
  link_->ToNode([link = link_, room = present_.begin()->first](core::ChatNode& chat) {
    chat.SetTyping(link->session(), room);
  });
}

void SimClient::LeaveOrJoin() {
  const RoomId& room = world_.random().Pick(world_.rooms());
  if (wanted_.erase(room) == 0) {
    wanted_.insert(room);
    return;
  }
  if (present_.contains(room)) {
    if (link_ != nullptr) {
      link_->ToNode([link = link_, room](core::ChatNode& chat) {
        chat.Leave(link->session(), room, [](const core::ClientResult<RoomId>&) {});
      });
    }
    End(room, "left");
  }
  last_seq_.erase(room);
  ++visits_[room];
}

void SimClient::Move() {
  if (link_ == nullptr) return;
  const SimLinkPtr link = link_;
  OnLost(link);
  link->Close();
}

// For so long that it must catch up from the rows.
void SimClient::GoAway() {
  if (world_.now() > kFaultsTo + 5) return;
  Move();
  away_until_ = world_.now() + world_.random().Uniform(2, 8);
}

void SimClient::ReadHistory() {
  if (link_ == nullptr) return;
  Random& random = world_.random();
  core::HistoryRequest request;
  request.room = random.Pick(world_.rooms());
  request.limit = kPage;
  if (!wanted_.contains(request.room)) return;
  const Seq somewhere = world_.observer().Somewhere(request.room);
  if (random.Chance(.6)) {
    request.after = somewhere;
  } else if (random.Chance(.7)) {
    request.before = somewhere + 1;
  }
  link_->ToNode([this, link = link_, request](core::ChatNode& chat) {
    const auto before = world_.observer().Present(link->node(), request.room);
    chat.History(
        link->session(), request,
        [this, link, request, before](const core::ClientResult<core::HistoryPage>& result) {
          const auto* page = std::get_if<core::HistoryPage>(&result);
          if (page == nullptr) return;
          world_.observer().OnHistory(link->node(), request, *page, before);
        });
  });
}

// ---- Sending

Task<void> SimClient::SendMessage(RoomId room, std::string cid, std::string body, bool last) {
  Random& random = world_.random();
  Observer& observer = world_.observer();
  const double first = world_.now();
  int tries = 0;
  while (world_.now() < kEnd - .5) {
    if (link_ == nullptr) {
      co_await world_.Sleep(.1);
      continue;
    }
    // Unmarked only within dedup.ttl.
    bool resend = world_.now() - first > world_.options().times.dedup * .45 ||
                  (tries > 0 && random.Chance(.4));
    if (tries > 0 && world_.options().late_unmarked && random.Chance(.5)) resend = false;
    ++tries;
    observer.Note("sends");
    const std::uint64_t request = ++requests_;
    Completion<Answer> answered(world_.scheduler());
    waiting_[request] = answered.callback();
    core::SendRequest send{room, core::ClientMessageId(cid), core::BodyKind::kText, body, resend};
    link_->ToNode([this, link = link_, send, request](core::ChatNode& chat) {
      chat.Send(link->session(), send,
                [this, link, send, request](const core::ClientResult<core::Ack>& result) {
                  link->ToClient([this, link, send, request, result] {
                    const auto waiting = waiting_.find(request);
                    if (waiting == waiting_.end()) return;
                    const auto* ack = std::get_if<core::Ack>(&result);
                    if (ack != nullptr) {
                      world_.observer().OnAck(user_, send, *ack);
                    }
                    const auto* error = std::get_if<core::ClientError>(&result);
                    const bool conflict =
                        error != nullptr && error->code == core::ErrorCode::kCidConflict;
                    const Callback<Answer> callback = waiting->second;
                    waiting_.erase(waiting);
                    callback({ack != nullptr, conflict});
                  });
                });
    });
    co_await answered.WaitUntil(world_.timeline().Now() + Seconds(6.5));
    waiting_.erase(request);
    const Answer answer = answered.done() ? answered.Take() : Answer{};
    if (answer.acked) co_return;
    if (answer.conflict) {
      observer.Note("conflict");
      co_return;
    }
    if (!last && (random.Chance(.08) || !wanted_.contains(room))) co_return;  // gives up
    const bool soon = last || random.Chance(.85);
    co_await world_.Sleep(soon ? random.Uniform(.05, .6)
                               : random.Uniform(world_.options().times.dedup * .7,
                                                world_.options().times.dedup * 1.3));
  }
  if (last) observer.Violation("STUCK", name_ + " " + cid + " in " + room.value());
}

}  // namespace minichat::sim
