#pragma once

#include <string>
#include <utility>
#include <vector>

#include "storage/memory/store_state.h"

namespace minichat::memory {

// The history of a single process, lost at its end: StoreState behind the port, answering in the
// next turn.
//
// Lifetime:  as HistoryStore.
// Threading: confined to the scheduler's thread.
// Errors:    none.
// Limits:    StoreLimits: the oldest rows are dropped.
class MemoryStore final : public core::HistoryStore {
 public:
  explicit MemoryStore(Scheduler& scheduler, StoreLimits limits = {});

  bool available() const override { return true; }
  void NextGeneration(const std::string& run_id, Deadline deadline,
                      Callback<Result<core::Generation>> done) override;
  void CurrentGeneration(Deadline deadline, Callback<Result<core::Generation>> done) override;
  void PrepareWarming(const core::RoomId& room, core::Generation generation, Deadline deadline,
                      Callback<Result<core::WarmingFacts>> done) override;
  void Lookup(const core::RoomId& room, const core::MessageId& id,
              std::optional<core::MessageId> variant, core::BodyHash hash, Deadline deadline,
              Callback<Result<std::optional<core::StoredRow>>> done) override;
  void Insert(std::vector<core::NewRow> rows, core::Generation generation, Deadline deadline,
              Callback<Result<core::InsertReply>> done) override;
  void Range(const core::RangeRequest& request, Deadline deadline,
             Callback<Result<std::vector<core::PlacedMessage>>> done) override;
  void AddDeadLetters(std::vector<core::DeadLetter> letters, Deadline deadline,
                      Callback<Status> done) override;

  const StoreState& state() const { return state_; }

 private:
  template <class T, class Value>
  void Answer(Callback<T> done, Value value) {
    scheduler_.Post([done = std::move(done), value = std::move(value)] { done(value); });
  }

  Scheduler& scheduler_;
  StoreState state_;
};

}  // namespace minichat::memory
