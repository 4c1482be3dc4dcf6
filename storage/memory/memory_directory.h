#pragma once

#include <string>
#include <utility>
#include <vector>

#include "storage/memory/directory_state.h"

namespace minichat::memory {

// The directory of a single process: DirectoryState behind the port, answering in the next turn.
//
// Lifetime:  as RoomDirectory; what was answered but not yet handled needs no MemoryDirectory.
// Threading: confined to the scheduler's thread.
// Errors:    none; it never fails and forgets only with the process. (Tests derive one that fails.)
class MemoryDirectory : public core::RoomDirectory {
 public:
  explicit MemoryDirectory(Scheduler& scheduler, core::DirectoryLimits limits = {});

  void SetListener(Listener*) override {}  // this link is never lost
  bool connected() const override { return true; }
  void Connect(Deadline deadline, Callback<Result<std::string>> done) override;

  void GetGeneration(Deadline deadline, Callback<Result<core::GenerationMark>> done) override;
  void SetGeneration(core::Generation number, core::GenerationMark seen, Deadline deadline,
                     Callback<Result<core::GenerationMark>> done) override;

  void Register(const core::NodeIdentity& node, Deadline deadline,
                Callback<Result<core::RegisterOutcome>> done) override;
  void Heartbeat(const core::NodeIdentity& node, Deadline deadline,
                 Callback<Result<core::HeartbeatReply>> done) override;
  void Unregister(const core::NodeIdentity& node, Deadline deadline,
                  Callback<Status> done) override;
  void CleanDeadRoutes(core::Generation generation, Deadline deadline,
                       Callback<Status> done) override;
  void SetRelayMode(const std::string& mode, Deadline deadline,
                    Callback<Result<core::RelayModeSetting>> done) override;

  void AddAccessChange(const core::AccessChange& change, Deadline deadline,
                       Callback<Result<std::uint64_t>> done) override;
  void AccessChangesAfter(std::uint64_t version, Deadline deadline,
                          Callback<Result<core::AccessNews>> done) override;
  void Join(const core::RoomId& room, const core::Route& route, core::Generation generation,
            Deadline deadline, Callback<Result<core::JoinOutcome>> done) override;
  void Leave(const core::RoomId& room, const core::SessionId& session, const core::NodeName& node,
             core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void Reroute(const core::RoomId& room, std::vector<core::Route> routes,
               core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void Routes(const core::RoomId& room, core::Generation generation, Deadline deadline,
              Callback<Result<core::RoomRoutes>> done) override;

  void Commit(const core::CommitRequest& request, Deadline deadline,
              Callback<Result<core::CommitReply>> done) override;
  void TakeUnstored(const core::RoomId& room, std::vector<core::MessageId> ids,
                    core::Generation generation, Deadline deadline,
                    Callback<Result<std::vector<core::UnstoredPlace>>> done) override;
  void MarkStored(const core::RoomId& room,
                  std::vector<std::pair<core::MessageId, core::Seq>> stored,
                  core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void UnstoredOlderThan(Duration age, std::size_t limit, core::Generation generation,
                         Deadline deadline,
                         Callback<Result<std::vector<core::PlacedMessage>>> done) override;
  void Window(const core::WindowRequest& request, Deadline deadline,
              Callback<Result<core::WindowReply>> done) override;
  void Heads(std::vector<core::RoomId> rooms, core::Generation generation, Deadline deadline,
             Callback<Result<std::vector<core::RoomHead>>> done) override;

  void Lease(const core::RoomId& room, const std::string& token, core::Generation generation,
             Deadline deadline, Callback<Result<core::LeaseOutcome>> done) override;
  void Warm(const core::WarmRequest& request, Deadline deadline,
            Callback<Result<core::WarmOutcome>> done) override;

  std::uint64_t window_bytes() const { return state_.window_bytes(); }

 private:
  std::int64_t now_ms() const { return scheduler_.WallMillis(); }
  template <class T, class Value>
  void Answer(Callback<T> done, Value value) {
    scheduler_.Post([done = std::move(done), value = std::move(value)] { done(value); });
  }

  Scheduler& scheduler_;
  const std::string run_id_;
  DirectoryState state_;
};

}  // namespace minichat::memory
