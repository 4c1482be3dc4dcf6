#include "storage/memory/memory_directory.h"

namespace minichat::memory {

using core::Generation;
using core::RoomId;

MemoryDirectory::MemoryDirectory(Scheduler& scheduler, core::DirectoryLimits limits)
    : scheduler_(scheduler),
      run_id_("memory-" + std::to_string(scheduler.Random())),
      state_(limits) {}

void MemoryDirectory::Connect(Deadline, Callback<Result<std::string>> done) {
  Answer(std::move(done), run_id_);
}

void MemoryDirectory::GetGeneration(Deadline, Callback<Result<core::GenerationMark>> done) {
  Answer(std::move(done), state_.GetGeneration(run_id_));
}

void MemoryDirectory::SetGeneration(Generation number, core::GenerationMark seen, Deadline,
                                    Callback<Result<core::GenerationMark>> done) {
  Answer(std::move(done), state_.SetGeneration(now_ms(), run_id_, number, seen));
}

void MemoryDirectory::Register(const core::NodeIdentity& node, Deadline,
                               Callback<Result<core::RegisterOutcome>> done) {
  Answer(std::move(done), state_.Register(now_ms(), node));
}

void MemoryDirectory::Heartbeat(const core::NodeIdentity& node, Deadline,
                                Callback<Result<core::HeartbeatReply>> done) {
  Answer(std::move(done), state_.Heartbeat(now_ms(), node));
}

void MemoryDirectory::Unregister(const core::NodeIdentity& node, Deadline, Callback<Status> done) {
  state_.Unregister(node);
  Answer(std::move(done), Status());
}

void MemoryDirectory::CleanDeadRoutes(Generation generation, Deadline, Callback<Status> done) {
  state_.CleanDeadRoutes(now_ms(), generation);
  Answer(std::move(done), Status());
}

void MemoryDirectory::SetRelayMode(const std::string& mode, Deadline,
                                   Callback<Result<core::RelayModeSetting>> done) {
  Answer(std::move(done), state_.SetRelayMode(mode));
}

void MemoryDirectory::AddAccessChange(const core::AccessChange& change, Deadline,
                                      Callback<Result<std::uint64_t>> done) {
  Answer(std::move(done), state_.AddAccessChange(change));
}

void MemoryDirectory::AccessChangesAfter(std::uint64_t version, Deadline,
                                         Callback<Result<core::AccessNews>> done) {
  Answer(std::move(done), state_.AccessChangesAfter(version));
}

void MemoryDirectory::Join(const RoomId& room, const core::Route& route, Generation generation,
                           Deadline, Callback<Result<core::JoinOutcome>> done) {
  Answer(std::move(done), state_.Join(now_ms(), room, route, generation));
}

void MemoryDirectory::Leave(const RoomId& room, const core::SessionId& session,
                            const core::NodeName& node, Generation generation, Deadline,
                            Callback<Status> done) {
  state_.Leave(now_ms(), room, session, node, generation);
  Answer(std::move(done), Status());
}

void MemoryDirectory::Reroute(const RoomId& room, std::vector<core::Route> routes,
                              Generation generation, Deadline, Callback<Status> done) {
  state_.Reroute(now_ms(), room, routes, generation);
  Answer(std::move(done), Status());
}

void MemoryDirectory::Routes(const RoomId& room, Generation generation, Deadline,
                             Callback<Result<core::RoomRoutes>> done) {
  Answer(std::move(done), state_.Routes(now_ms(), room, generation));
}

void MemoryDirectory::Commit(const core::CommitRequest& request, Deadline,
                             Callback<Result<core::CommitReply>> done) {
  Answer(std::move(done), state_.Commit(now_ms(), request));
}

void MemoryDirectory::TakeUnstored(const RoomId& room, std::vector<core::MessageId> ids,
                                   Generation generation, Deadline,
                                   Callback<Result<std::vector<core::UnstoredPlace>>> done) {
  Answer(std::move(done), state_.TakeUnstored(now_ms(), room, ids, generation));
}

void MemoryDirectory::MarkStored(const RoomId& room,
                                 std::vector<std::pair<core::MessageId, core::Seq>> stored,
                                 Generation generation, Deadline, Callback<Status> done) {
  state_.MarkStored(now_ms(), room, stored, generation);
  Answer(std::move(done), Status());
}

void MemoryDirectory::UnstoredOlderThan(Duration age, std::size_t limit, Generation generation,
                                        Deadline,
                                        Callback<Result<std::vector<core::PlacedMessage>>> done) {
  Answer(std::move(done), state_.UnstoredOlderThan(now_ms(), age, limit, generation));
}

void MemoryDirectory::Window(const core::WindowRequest& request, Deadline,
                             Callback<Result<core::WindowReply>> done) {
  Answer(std::move(done), state_.Window(now_ms(), request));
}

void MemoryDirectory::Heads(std::vector<RoomId> rooms, Generation generation, Deadline,
                            Callback<Result<std::vector<core::RoomHead>>> done) {
  Answer(std::move(done), state_.Heads(now_ms(), rooms, generation));
}

void MemoryDirectory::Lease(const RoomId& room, const std::string& token, Generation generation,
                            Deadline, Callback<Result<core::LeaseOutcome>> done) {
  Answer(std::move(done), state_.Lease(now_ms(), room, token, generation));
}

void MemoryDirectory::Warm(const core::WarmRequest& request, Deadline,
                           Callback<Result<core::WarmOutcome>> done) {
  Answer(std::move(done), state_.Warm(now_ms(), request));
}

}  // namespace minichat::memory
