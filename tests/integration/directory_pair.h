#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/core/ports/room_directory.h"
#include "storage/contract/sync_directory.h"
#include "storage/memory/directory_state.h"
#include "tests/support/redis_harness.h"

namespace minichat::test {

// Two directories that get the same calls at the same time: the pure state machine of
// storage/memory, and the scripts in a real Redis. Remembers the first call whose answers differ.
//
// Threading: confined to the test's thread.
class DirectoryPair {
 public:
  DirectoryPair(ScratchRedis& server, const core::DirectoryLimits& limits,
                const std::function<void(redis::ScriptSet&)>& edit = {});

  // The first difference: which call; none so far: empty.
  const std::string& difference() const { return difference_; }

  void Advance(Duration duration) { harness_.Advance(duration); }
  std::int64_t now_ms() const { return harness_.now_ms(); }

  core::GenerationMark GetGeneration();
  void SetGeneration(core::Generation number, const core::GenerationMark& seen);
  // As a server that came back with old data: the mark is another run's.
  void LeaveMarkOfAnotherRun();

  void Register(const core::NodeIdentity& node);
  void Heartbeat(const core::NodeIdentity& node);
  void Unregister(const core::NodeIdentity& node);
  void CleanDeadRoutes(core::Generation generation);
  void SetRelayMode(const std::string& mode);
  void AddAccessChange(const core::AccessChange& change);
  void AccessChangesAfter(std::uint64_t version);

  void Join(const core::RoomId& room, const core::Route& route, core::Generation generation);
  void Leave(const core::RoomId& room, const core::SessionId& session, const core::NodeName& node,
             core::Generation generation);
  void Reroute(const core::RoomId& room, const std::vector<core::Route>& routes,
               core::Generation generation);
  void Routes(const core::RoomId& room, core::Generation generation);

  core::CommitReply Commit(const core::CommitRequest& request);
  void TakeUnstored(const core::RoomId& room, const std::vector<core::MessageId>& ids,
                    core::Generation generation);
  void MarkStored(const core::RoomId& room,
                  const std::vector<std::pair<core::MessageId, core::Seq>>& stored,
                  core::Generation generation);
  void UnstoredOlderThan(Duration age, core::Generation generation);
  void Window(const core::WindowRequest& request);
  void Heads(const std::vector<core::RoomId>& rooms, core::Generation generation);

  void Lease(const core::RoomId& room, const std::string& token, core::Generation generation);
  void Warm(const core::WarmRequest& request);

  // In Redis alone: each room's bytes are those of its window, their total is that of the rooms
  // that are not idle, and a room is on the list of the unstored if something in it is.
  void CheckBooks(const std::vector<core::RoomId>& rooms);

 private:
  template <class T>
  void Compare(const std::string& call, const T& expected, const T& actual) {
    if (!(expected == actual)) Differs(call);
  }
  void Differs(const std::string& call) {
    if (difference_.empty()) difference_ = call;
  }
  // Each side counts route versions from its own random start: they must move alike.
  void CompareVersion(const std::string& call, const core::RoomId& room, std::uint64_t expected,
                      std::uint64_t actual);
  void CheckRoomsBooks(const core::RoomId& room, std::int64_t* total);

  ScratchRedis& server_;
  RedisHarness harness_;
  contract::SyncDirectory redis_;
  memory::DirectoryState memory_;
  std::string run_id_;
  std::map<core::RoomId, std::uint64_t> version_offsets_;
  std::string difference_;
};

}  // namespace minichat::test
