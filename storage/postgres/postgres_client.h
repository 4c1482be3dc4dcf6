#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/base/status.h"

namespace minichat::postgres {

class SessionPool;

struct PostgresOptions {
  std::string url;              // postgresql://user:password@host:port/database
  std::size_t connections = 4;  // each with its own thread
  std::size_t max_waiting_calls = 1'000;
  Duration probe_period = std::chrono::seconds(1);
};

// A process's connections to PostgreSQL, which its stores share. A probe keeps reachable() true to
// the world.
//
// Lifetime:  Start() after construction; Stop() on the scheduler's thread or when that has ended.
// Threading: confined to the scheduler's thread; reachable() from any.
// Limits:    PostgresOptions.
class PostgresClient {
 public:
  PostgresClient(PostgresOptions options, Scheduler& scheduler, MetricsRegistry& metrics);
  ~PostgresClient();

  // Fails on a bad URL only; that Postgres is away shows in reachable().
  Status Start();
  // No callback runs after it. Statements that run are cut off. Idempotent.
  void Stop();
  bool reachable() const;

  // For the stores. Only between Start() and Stop().
  SessionPool& pool() { return *pool_; }

 private:
  void Probe();
  void NoteReachable();

  const PostgresOptions options_;
  Scheduler& scheduler_;
  MetricsRegistry& metrics_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::atomic<bool> stopped_ = false;
  bool was_reachable_ = false;
  std::unique_ptr<SessionPool> pool_;
};

}  // namespace minichat::postgres
