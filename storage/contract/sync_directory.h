#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/core/ports/room_directory.h"

namespace minichat::contract {

// An implementation of RoomDirectory under test, with its clock and its turns.
class DirectoryHarness {
 public:
  virtual ~DirectoryHarness() = default;

  virtual core::RoomDirectory& directory() = 0;
  virtual Scheduler& scheduler() = 0;
  // Lets work run until `done()`; false: it has not come to that in good time.
  virtual bool RunUntil(const std::function<bool()>& done) = 0;
  // Lets time pass for all that the directory dates or forgets.
  virtual void Advance(Duration duration) = 0;
};
using HarnessFactory =
    std::function<std::unique_ptr<DirectoryHarness>(const core::DirectoryLimits&)>;

// The calls of a RoomDirectory as plain functions: each waits for its answer, and fails the test
// when there is none, when it is an error, or when it comes inside the call or twice.
//
// Threading: confined to the test's thread.
class SyncDirectory {
 public:
  explicit SyncDirectory(DirectoryHarness& harness) : harness_(harness) {}

  std::string Connect() {
    return Await<std::string>(
        [&](Deadline end, auto done) { directory().Connect(end, std::move(done)); });
  }
  core::GenerationMark GetGeneration() {
    return Await<core::GenerationMark>(
        [&](Deadline end, auto done) { directory().GetGeneration(end, std::move(done)); });
  }
  core::GenerationMark SetGeneration(core::Generation number, const core::GenerationMark& seen) {
    return Await<core::GenerationMark>([&](Deadline end, auto done) {
      directory().SetGeneration(number, seen, end, std::move(done));
    });
  }

  core::RegisterOutcome Register(const core::NodeIdentity& node) {
    return Await<core::RegisterOutcome>(
        [&](Deadline end, auto done) { directory().Register(node, end, std::move(done)); });
  }
  core::HeartbeatReply Heartbeat(const core::NodeIdentity& node) {
    return Await<core::HeartbeatReply>(
        [&](Deadline end, auto done) { directory().Heartbeat(node, end, std::move(done)); });
  }
  void Unregister(const core::NodeIdentity& node) {
    AwaitOk([&](Deadline end, auto done) { directory().Unregister(node, end, std::move(done)); });
  }
  void CleanDeadRoutes(core::Generation generation) {
    AwaitOk([&](Deadline end, auto done) {
      directory().CleanDeadRoutes(generation, end, std::move(done));
    });
  }
  std::uint64_t AddAccessChange(const core::AccessChange& change) {
    return Await<std::uint64_t>([&](Deadline end, auto done) {
      directory().AddAccessChange(change, end, std::move(done));
    });
  }
  core::AccessNews AccessChangesAfter(std::uint64_t version) {
    return Await<core::AccessNews>([&](Deadline end, auto done) {
      directory().AccessChangesAfter(version, end, std::move(done));
    });
  }
  core::RelayModeSetting SetRelayMode(const std::string& mode) {
    return Await<core::RelayModeSetting>(
        [&](Deadline end, auto done) { directory().SetRelayMode(mode, end, std::move(done)); });
  }

  core::JoinOutcome Join(const core::RoomId& room, const core::Route& route,
                         core::Generation generation) {
    return Await<core::JoinOutcome>([&](Deadline end, auto done) {
      directory().Join(room, route, generation, end, std::move(done));
    });
  }
  void Leave(const core::RoomId& room, const core::SessionId& session, const core::NodeName& node,
             core::Generation generation) {
    AwaitOk([&](Deadline end, auto done) {
      directory().Leave(room, session, node, generation, end, std::move(done));
    });
  }
  void Reroute(const core::RoomId& room, const std::vector<core::Route>& routes,
               core::Generation generation) {
    AwaitOk([&](Deadline end, auto done) {
      directory().Reroute(room, routes, generation, end, std::move(done));
    });
  }
  core::RoomRoutes Routes(const core::RoomId& room, core::Generation generation) {
    return Await<core::RoomRoutes>([&](Deadline end, auto done) {
      directory().Routes(room, generation, end, std::move(done));
    });
  }

  core::CommitReply Commit(const core::CommitRequest& request) {
    return Await<core::CommitReply>(
        [&](Deadline end, auto done) { directory().Commit(request, end, std::move(done)); });
  }
  std::vector<core::UnstoredPlace> TakeUnstored(const core::RoomId& room,
                                                const std::vector<core::MessageId>& ids,
                                                core::Generation generation) {
    return Await<std::vector<core::UnstoredPlace>>([&](Deadline end, auto done) {
      directory().TakeUnstored(room, ids, generation, end, std::move(done));
    });
  }
  void MarkStored(const core::RoomId& room,
                  const std::vector<std::pair<core::MessageId, core::Seq>>& stored,
                  core::Generation generation) {
    AwaitOk([&](Deadline end, auto done) {
      directory().MarkStored(room, stored, generation, end, std::move(done));
    });
  }
  std::vector<core::PlacedMessage> UnstoredOlderThan(Duration age, std::size_t limit,
                                                     core::Generation generation) {
    return Await<std::vector<core::PlacedMessage>>([&](Deadline end, auto done) {
      directory().UnstoredOlderThan(age, limit, generation, end, std::move(done));
    });
  }
  core::WindowReply Window(const core::WindowRequest& request) {
    return Await<core::WindowReply>(
        [&](Deadline end, auto done) { directory().Window(request, end, std::move(done)); });
  }
  std::vector<core::RoomHead> Heads(const std::vector<core::RoomId>& rooms,
                                    core::Generation generation) {
    return Await<std::vector<core::RoomHead>>([&](Deadline end, auto done) {
      directory().Heads(rooms, generation, end, std::move(done));
    });
  }

  core::LeaseOutcome Lease(const core::RoomId& room, const std::string& token,
                           core::Generation generation) {
    return Await<core::LeaseOutcome>([&](Deadline end, auto done) {
      directory().Lease(room, token, generation, end, std::move(done));
    });
  }
  core::WarmOutcome Warm(const core::WarmRequest& request) {
    return Await<core::WarmOutcome>(
        [&](Deadline end, auto done) { directory().Warm(request, end, std::move(done)); });
  }

 private:
  core::RoomDirectory& directory() { return harness_.directory(); }

  template <class T, class Call>
  T Await(Call call) {
    std::optional<Result<T>> answer = AwaitAnswer<Result<T>>(std::move(call));
    if (!answer) return {};
    EXPECT_TRUE(answer->ok()) << answer->status().ToString();
    return answer->ok() ? std::move(*answer).value() : T{};
  }
  template <class Call>
  void AwaitOk(Call call) {
    const std::optional<Status> answer = AwaitAnswer<Status>(std::move(call));
    if (answer) {
      EXPECT_TRUE(answer->ok()) << answer->ToString();
    }
  }
  template <class T, class Call>
  std::optional<T> AwaitAnswer(Call call) {
    struct State {
      bool inside = true;
      std::optional<T> answer;
    };
    const auto state = std::make_shared<State>();
    call(Deadline::After(harness_.scheduler(), std::chrono::seconds(10)), [state](T value) {
      EXPECT_FALSE(state->inside) << "called back inside the call";
      EXPECT_FALSE(state->answer.has_value()) << "called back twice";
      state->answer = std::move(value);
    });
    state->inside = false;
    EXPECT_TRUE(harness_.RunUntil([&] { return state->answer.has_value(); })) << "no answer";
    return state->answer;
  }

  DirectoryHarness& harness_;
};

}  // namespace minichat::contract
