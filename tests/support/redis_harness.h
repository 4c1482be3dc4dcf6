#pragma once

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>

#include "server/base/asio_scheduler.h"
#include "server/base/metrics.h"
#include "storage/contract/sync_directory.h"
#include "storage/redis/redis_directory.h"
#include "tests/support/scratch_redis.h"

namespace minichat::test {

// RedisDirectory on a scratch server whose time the test moves: the scripts read the time from a
// key instead of the clock, and Advance() also shortens the TTLs of all keys. (The scripts
// themselves have no switch for it: the harness gives the server a changed text.)
//
// Lifetime:  the server outlives it. It empties the server's database first.
// Threading: confined to the thread that made it.
class RedisHarness final : public contract::DirectoryHarness {
 public:
  // `edit` may change the scripts further.
  RedisHarness(ScratchRedis& server, const core::DirectoryLimits& limits,
               const std::function<void(redis::ScriptSet&)>& edit = {});
  ~RedisHarness() override;

  core::RoomDirectory& directory() override { return *directory_; }
  Scheduler& scheduler() override { return scheduler_; }
  bool RunUntil(const std::function<bool()>& done) override;
  // Whole seconds.
  void Advance(Duration duration) override;

  std::int64_t now_ms() const { return now_s_ * 1000; }

 private:
  ScratchRedis& server_;
  boost::asio::io_context io_;
  AsioScheduler scheduler_{io_};
  MetricsRegistry registry_;
  std::int64_t now_s_ = 1'700'000'000;
  std::unique_ptr<redis::RedisDirectory> directory_;
};

// Runs `io` until `done()`, at most for `limit`.
bool RunUntil(boost::asio::io_context& io, const std::function<bool()>& done,
              Duration limit = std::chrono::seconds(20));

}  // namespace minichat::test
