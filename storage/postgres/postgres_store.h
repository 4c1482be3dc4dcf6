#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/core/ports/history_store.h"

namespace minichat::postgres {

struct PostgresStoreOptions {
  std::string url;              // postgresql://user:password@host:port/database
  std::size_t connections = 4;  // each with its own thread
  std::size_t max_waiting_calls = 1'000;
  std::string topic = "minichat.messages";  // noted with dead letters
  Duration probe_period = std::chrono::seconds(1);
};

// The rows in PostgreSQL, made by PostgresMigrator. Calls run on a small pool of threads, one
// connection each.
//
// Lifetime:  Start() after construction; Stop() on the scheduler's thread or when that has ended.
// Threading: as the port.
// Errors:    as the port. A lost connection is made anew, and what it left in doubt is done again,
//            within the call's deadline. A server that hangs costs the connection, not the thread.
// Limits:    PostgresStoreOptions; above, ResourceExhausted at once.
class PostgresStore final : public core::HistoryStore {
 public:
  PostgresStore(PostgresStoreOptions options, Scheduler& scheduler, MetricsRegistry& metrics);
  ~PostgresStore() override;

  // Fails on a bad URL only; that Postgres is away shows in available().
  Status Start();
  // No callback runs after it. Statements that run are cut off. Idempotent.
  void Stop();

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
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::postgres
