#include "storage/memory/memory_store.h"

namespace minichat::memory {

using core::Generation;
using core::RoomId;

MemoryStore::MemoryStore(Scheduler& scheduler, StoreLimits limits)
    : scheduler_(scheduler), state_(limits) {}

void MemoryStore::NextGeneration(const std::string&, Deadline, Callback<Result<Generation>> done) {
  Answer(std::move(done), state_.NextGeneration());
}

void MemoryStore::CurrentGeneration(Deadline, Callback<Result<Generation>> done) {
  Answer(std::move(done), state_.CurrentGeneration());
}

void MemoryStore::PrepareWarming(const RoomId& room, Generation generation, Deadline,
                                 Callback<Result<core::WarmingFacts>> done) {
  Answer(std::move(done), state_.PrepareWarming(scheduler_.WallMillis(), room, generation));
}

void MemoryStore::Lookup(const RoomId& room, const core::MessageId& id,
                         std::optional<core::MessageId> variant, core::BodyHash hash, Deadline,
                         Callback<Result<std::optional<core::StoredRow>>> done) {
  Answer(std::move(done), state_.Lookup(room, id, variant, hash));
}

void MemoryStore::Insert(std::vector<core::NewRow> rows, Generation generation, Deadline,
                         Callback<Result<core::InsertReply>> done) {
  Answer(std::move(done), state_.Insert(scheduler_.WallMillis(), rows, generation));
}

void MemoryStore::Range(const core::RangeRequest& request, Deadline,
                        Callback<Result<std::vector<core::PlacedMessage>>> done) {
  Answer(std::move(done), state_.Range(request));
}

void MemoryStore::AddDeadLetters(std::vector<core::DeadLetter> letters, Deadline,
                                 Callback<Status> done) {
  state_.AddDeadLetters(std::move(letters));
  Answer(std::move(done), Status());
}

}  // namespace minichat::memory
