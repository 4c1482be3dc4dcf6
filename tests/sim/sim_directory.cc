#include "tests/sim/sim_directory.h"

#include <optional>
#include <type_traits>

#include "tests/sim/observer.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {
namespace {

struct Nothing {};

// Every script but the first needs a connection. True: there was none, and `done` hears so.
template <class Done>
bool RefuseWithoutLink(const std::string& run_id, SimScheduler& scheduler, Done& done) {
  if (!run_id.empty()) return false;
  scheduler.Post([done = std::move(done)] { done(Unavailable("redis: not connected")); });
  return true;
}

}  // namespace

using core::Generation;
using core::RoomId;
using memory::DirectoryState;

SimDirectory::SimDirectory(SimWorld& world, SimNode& node, SimScheduler& scheduler)
    : world_(world), node_(node), scheduler_(scheduler) {}

template <class T, class Run>
void SimDirectory::Send(const char* script, Deadline deadline, Callback<Result<T>> done, Run run) {
  auto reply = std::make_shared<std::optional<T>>();
  auto call = std::make_shared<SimRedis::Call>();
  call->node = &node_;
  call->script = script;
  call->run_id = run_id_;
  call->deadline = deadline.end();
  call->execute = [this, reply, run](SimRedis& redis) {
    *reply = run(redis.state(), redis.run_id(), world_.timeline().WallMillis());
  };
  // Handed over as it comes, late or on a link that was given up: the core must see to that.
  call->finish = [this, reply, done, finished = false](const Status& status) mutable {
    if (std::exchange(finished, true)) return;
    scheduler_.Arrive(
        [reply, done, status] { done(status.ok() ? Result<T>(**reply) : Result<T>(status)); });
  };

  world_.Hit(script, "sent", &node_);
  Timeline& timeline = world_.timeline();
  const TimePoint arrival = timeline.Now() + world_.Net();
  timeline.At(arrival, [redis = &node_.redis(), call] { redis->Arrive(call); });
  if (arrival > call->deadline) {
    timeline.At(call->deadline, [call] { call->finish(DeadlineExceeded("redis: no reply")); });
  }
}

void SimDirectory::Connect(Deadline deadline, Callback<Result<std::string>> done) {
  run_id_.clear();
  const std::uint64_t link = ++link_;
  const auto connected = [this, link, done](const Result<std::string>& reply) {
    if (reply.ok() && link == link_) run_id_ = *reply;
    done(reply);
  };
  Send<std::string>(
      "hello", deadline, connected,
      [](DirectoryState&, const std::string& run_id, std::int64_t) { return run_id; });
}

void SimDirectory::Lose(const std::string& run_id) {
  if (run_id_.empty() || run_id_ != run_id) return;
  run_id_.clear();
  ++link_;
  if (listener_ != nullptr) listener_->OnDirectoryLost();
}

template <class Run>
void SimDirectory::SendStatus(const char* script, Deadline deadline, Callback<Status> done,
                              Run run) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<Nothing>(
      script, deadline,
      [done = std::move(done)](const Result<Nothing>& reply) {
        done(reply.ok() ? Status() : reply.status());
      },
      [run](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        run(state, now_ms);
        return Nothing{};
      });
}

void SimDirectory::GetGeneration(Deadline deadline, Callback<Result<core::GenerationMark>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::GenerationMark>("genget", deadline, std::move(done),
                             [](DirectoryState& state, const std::string& run_id, std::int64_t) {
                               return state.GetGeneration(run_id);
                             });
}

void SimDirectory::SetGeneration(Generation number, core::GenerationMark seen, Deadline deadline,
                                 Callback<Result<core::GenerationMark>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::GenerationMark>(
      "genset", deadline, std::move(done),
      [=, this](DirectoryState& state, const std::string& run_id, std::int64_t now_ms) {
        const core::GenerationMark mark = state.SetGeneration(now_ms, run_id, number, seen);
        world_.Trace("redis: " + run_id + " is generation " + std::to_string(mark.number));
        return mark;
      });
}

void SimDirectory::Register(const core::NodeIdentity& node, Deadline deadline,
                            Callback<Result<core::RegisterOutcome>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::RegisterOutcome>("reg", deadline, std::move(done),
                              [node](DirectoryState& state, const std::string&,
                                     std::int64_t now_ms) { return state.Register(now_ms, node); });
}

void SimDirectory::Heartbeat(const core::NodeIdentity& node, Deadline deadline,
                             Callback<Result<core::HeartbeatReply>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::HeartbeatReply>(
      "hb", deadline, std::move(done),
      [node, this](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        core::HeartbeatReply reply = state.Heartbeat(now_ms, node);
        const bool hides = world_.options().lie == Lie::kHideNode && !reply.live_nodes.empty();
        if (hides) reply.live_nodes.pop_back();
        return reply;
      });
}

void SimDirectory::Unregister(const core::NodeIdentity& node, Deadline deadline,
                              Callback<Status> done) {
  SendStatus("unreg", deadline, std::move(done),
             [node](DirectoryState& state, std::int64_t) { state.Unregister(node); });
}

void SimDirectory::CleanDeadRoutes(Generation generation, Deadline deadline,
                                   Callback<Status> done) {
  SendStatus("clean", deadline, std::move(done),
             [generation](DirectoryState& state, std::int64_t now_ms) {
               state.CleanDeadRoutes(now_ms, generation);
             });
}

void SimDirectory::SetRelayMode(const std::string& mode, Deadline deadline,
                                Callback<Result<core::RelayModeSetting>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::RelayModeSetting>("mode", deadline, std::move(done),
                               [mode](DirectoryState& state, const std::string&, std::int64_t) {
                                 return state.SetRelayMode(mode);
                               });
}

void SimDirectory::AddAccessChange(const core::AccessChange& change, Deadline deadline,
                                   Callback<Result<std::uint64_t>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<std::uint64_t>("access", deadline, std::move(done),
                      [change](DirectoryState& state, const std::string&, std::int64_t) {
                        return state.AddAccessChange(change);
                      });
}

void SimDirectory::AccessChangesAfter(std::uint64_t version, Deadline deadline,
                                      Callback<Result<core::AccessNews>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::AccessNews>("access", deadline, std::move(done),
                         [version](DirectoryState& state, const std::string&, std::int64_t) {
                           return state.AccessChangesAfter(version);
                         });
}

void SimDirectory::Join(const RoomId& room, const core::Route& route, Generation generation,
                        Deadline deadline, Callback<Result<core::JoinOutcome>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  const auto joined = [this, room, session = route.session, generation,
                       done](const Result<core::JoinOutcome>& reply) {
    if (reply.ok() && !reply->cold) joined_in_[{session, room}] = generation;
    done(reply);
  };
  Send<core::JoinOutcome>("join", deadline, joined,
                          [=](DirectoryState& state, const std::string&, std::int64_t now_ms) {
                            return state.Join(now_ms, room, route, generation);
                          });
}

Generation SimDirectory::JoinGeneration(const core::SessionId& session, const RoomId& room) const {
  const auto it = joined_in_.find({session, room});
  return it == joined_in_.end() ? 0 : it->second;
}

void SimDirectory::Leave(const RoomId& room, const core::SessionId& session,
                         const core::NodeName& node, Generation generation, Deadline deadline,
                         Callback<Status> done) {
  SendStatus("leave", deadline, std::move(done), [=](DirectoryState& state, std::int64_t now_ms) {
    state.Leave(now_ms, room, session, node, generation);
  });
}

void SimDirectory::Reroute(const RoomId& room, std::vector<core::Route> routes,
                           Generation generation, Deadline deadline, Callback<Status> done) {
  SendStatus("reroute", deadline, std::move(done), [=](DirectoryState& state, std::int64_t now_ms) {
    state.Reroute(now_ms, room, routes, generation);
  });
}

void SimDirectory::Routes(const RoomId& room, Generation generation, Deadline deadline,
                          Callback<Result<core::RoomRoutes>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::RoomRoutes>("routes", deadline, std::move(done),
                         [=](DirectoryState& state, const std::string&, std::int64_t now_ms) {
                           return state.Routes(now_ms, room, generation);
                         });
}

void SimDirectory::Commit(const core::CommitRequest& request, Deadline deadline,
                          Callback<Result<core::CommitReply>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::CommitReply>(
      "commit", deadline, std::move(done),
      [=, this](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        const core::CommitReply reply = state.Commit(now_ms, request);
        if (reply.outcome == core::CommitReply::Outcome::kPlaced && !reply.duplicate) {
          world_.observer().OnPlaced(*request.message, reply.place, node_);
        }
        return reply;
      });
}

void SimDirectory::TakeUnstored(const RoomId& room, std::vector<core::MessageId> ids,
                                Generation generation, Deadline deadline,
                                Callback<Result<std::vector<core::UnstoredPlace>>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<std::vector<core::UnstoredPlace>>(
      "take", deadline, std::move(done),
      [=](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        return state.TakeUnstored(now_ms, room, ids, generation);
      });
}

void SimDirectory::MarkStored(const RoomId& room,
                              std::vector<std::pair<core::MessageId, core::Seq>> stored,
                              Generation generation, Deadline deadline, Callback<Status> done) {
  SendStatus("mark", deadline, std::move(done), [=](DirectoryState& state, std::int64_t now_ms) {
    state.MarkStored(now_ms, room, stored, generation);
  });
}

void SimDirectory::UnstoredOlderThan(Duration age, std::size_t limit, Generation generation,
                                     Deadline deadline,
                                     Callback<Result<std::vector<core::PlacedMessage>>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<std::vector<core::PlacedMessage>>(
      "old_u", deadline, std::move(done),
      [=](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        return state.UnstoredOlderThan(now_ms, age, limit, generation);
      });
}

void SimDirectory::Window(const core::WindowRequest& request, Deadline deadline,
                          Callback<Result<core::WindowReply>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::WindowReply>(
      "window", deadline, std::move(done),
      [=, this](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        core::WindowReply reply = state.Window(now_ms, request);
        const bool lies = world_.options().lie == Lie::kSkipOnResume;
        if (lies && reply.messages.size() > 2) {
          reply.messages.erase(reply.messages.begin() + 1);
        }
        return reply;
      });
}

void SimDirectory::Heads(std::vector<RoomId> rooms, Generation generation, Deadline deadline,
                         Callback<Result<std::vector<core::RoomHead>>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<std::vector<core::RoomHead>>(
      "heads", deadline, std::move(done),
      [=, this](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        auto heads = state.Heads(now_ms, rooms, generation);
        if (world_.options().lie == Lie::kHideHead) {
          for (core::RoomHead& head : heads) head.head = head.stored_upto = 0;
        }
        return heads;
      });
}

void SimDirectory::Lease(const RoomId& room, const std::string& token, Generation generation,
                         Deadline deadline, Callback<Result<core::LeaseOutcome>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::LeaseOutcome>("lease", deadline, std::move(done),
                           [=](DirectoryState& state, const std::string&, std::int64_t now_ms) {
                             return state.Lease(now_ms, room, token, generation);
                           });
}

void SimDirectory::Warm(const core::WarmRequest& request, Deadline deadline,
                        Callback<Result<core::WarmOutcome>> done) {
  if (RefuseWithoutLink(run_id_, scheduler_, done)) return;
  Send<core::WarmOutcome>(
      "warm", deadline, std::move(done),
      [=, this](DirectoryState& state, const std::string&, std::int64_t now_ms) {
        const core::WarmOutcome outcome = state.Warm(now_ms, request);
        if (outcome == core::WarmOutcome::kDone) {
          world_.Trace("redis: " + request.room.value() + " warmed, generation " +
                       std::to_string(request.generation) + ", head " + Show(request.max_seq));
        }
        return outcome;
      });
}

}  // namespace minichat::sim
