#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/core/ports/history_store.h"
#include "storage/memory/store_state.h"

namespace minichat::sim {

class SimNode;
class SimScheduler;
class SimWorld;

// A Postgres server: StoreState, and the ways in which it can be away.
class SimStoreServer {
 public:
  explicit SimStoreServer(SimWorld& world);

  bool up() const { return up_; }
  bool slow() const { return slow_; }
  bool lossy() const { return lossy_; }
  void GoDown() { up_ = false; }
  void GoSlow() { slow_ = true; }
  void GoLossy() { lossy_ = true; }
  bool reads_slowly() const { return reads_slowly_; }
  void SetReadsSlowly(bool slowly) { reads_slowly_ = slowly; }
  void Recover() {
    up_ = true;
    slow_ = lossy_ = false;
  }
  memory::StoreState& state() { return state_; }
  const memory::StoreState& state() const { return state_; }

 private:
  bool up_ = true;
  bool slow_ = false;
  bool lossy_ = false;
  bool reads_slowly_ = false;  // pages of rows only
  memory::StoreState state_;
};

// A node's way to it. Transactions may be executed late, also after their caller gave up, or
// executed and their reply lost.
class SimStore final : public core::HistoryStore {
 public:
  SimStore(SimWorld& world, SimNode& node, SimScheduler& scheduler);

  bool available() const override;
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

 private:
  template <class T>
  struct Call;
  template <class T>
  void Send(const char* name, Deadline deadline, Callback<Result<T>> done,
            std::function<T(memory::StoreState&)> run);
  template <class T>
  void Execute(const std::shared_ptr<Call<T>>& call);
  template <class T>
  void Finish(const std::shared_ptr<Call<T>>& call, Status status);
  core::InsertReply InsertNow(memory::StoreState& state, std::vector<core::NewRow> rows,
                              core::Generation generation);

  SimWorld& world_;
  SimNode& node_;
  SimScheduler& scheduler_;
};

}  // namespace minichat::sim
