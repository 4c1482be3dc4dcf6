#pragma once

#include <functional>
#include <memory>

#include "server/app/app_config.h"
#include "server/base/asio_scheduler.h"
#include "server/base/metrics.h"
#include "server/base/status.h"
#include "server/core/ports/history_store.h"
#include "server/core/ports/message_log.h"
#include "server/core/ports/room_directory.h"
#include "server/core/ports/room_store.h"

namespace minichat::postgres {
class PostgresClient;
}

namespace minichat::app {

// What the directory enforces, and the node has to know.
core::DirectoryLimits DirectoryLimitsOf(const AppConfig& config);
// Everything in memory: one node alone, lost at its end.
bool Standalone(const AppConfig& config);

// The log, the directory and the stores that the configuration names.
//
// Lifetime:  Start(), then use by one node; Stop() when the node has stopped.
// Threading: confined to the scheduler's thread, or before it runs.
// Errors:    Start() fails on what no retry can mend. A service that is away shows in the ports'
//            available() and connected(), and is retried.
class Backends {
 public:
  Backends(const AppConfig& config, AsioScheduler& scheduler, MetricsRegistry& metrics);
  ~Backends();

  Status Start();
  // Sends what waits in the log, for at most `limit`, and lets go of the stores; blocks.
  void Stop(Duration limit);

  core::MessageLog& log() { return *log_; }
  // Null: this node is no persister.
  core::LogSource* source() { return source_.get(); }
  core::RoomDirectory& directory() { return *directory_; }
  core::HistoryStore& store() { return *store_; }
  core::RoomStore& room_store() { return *room_store_; }

 private:
  Status MakeLog();
  Status MakeStore();
  Status MakeDirectory();

  const AppConfig& config_;
  AsioScheduler& scheduler_;
  MetricsRegistry& metrics_;
  std::unique_ptr<core::RoomDirectory> directory_;
  std::unique_ptr<postgres::PostgresClient> postgres_;  // null: the stores are in memory
  std::unique_ptr<core::HistoryStore> store_;
  std::unique_ptr<core::RoomStore> room_store_;
  std::shared_ptr<core::MessageLog> log_;
  std::shared_ptr<core::LogSource> source_;  // in memory the same object as the log
  // How the concrete log is stopped.
  std::function<void(Duration)> stop_log_ = [](Duration) {};
};

}  // namespace minichat::app
