#include "tests/support/redis_harness.h"

#include <string>

#include "server/base/check.h"

namespace minichat::test {
namespace {

constexpr const char* kClock = "redis.call('TIME')";
constexpr const char* kTestClock = "{redis.call('GET', 'test:now'), '0'}";

constexpr const char* kAgeKeys = R"lua(
  redis.call('SET', 'test:now', ARGV[1])
  local passed = tonumber(ARGV[2])
  for _, key in ipairs(redis.call('KEYS', '*')) do
    local ttl = redis.call('PTTL', key)
    if ttl > passed then
      redis.call('PEXPIRE', key, ttl - passed)
    elseif ttl >= 0 then
      redis.call('DEL', key)
    end
  end
  return 'aged')lua";

void UseTestClock(redis::ScriptSet& scripts) {
  const std::string clock = kClock;
  for (std::string& script : scripts) {
    const auto at = script.find(clock);
    CHECK(at != std::string::npos);  // common.lua stands before each of them
    script.replace(at, clock.size(), kTestClock);
  }
}

}  // namespace

RedisHarness::RedisHarness(ScratchRedis& server, const core::DirectoryLimits& limits,
                           const std::function<void(redis::ScriptSet&)>& edit)
    : server_(server) {
  redis::RedisOptions options;
  options.url = server.Url();
  options.limits = limits;
  UseTestClock(options.scripts);
  if (edit) edit(options.scripts);
  server_.Command({"FLUSHDB"});
  Advance(Duration::zero());
  directory_ = std::make_unique<redis::RedisDirectory>(scheduler_, std::move(options), registry_);
}

RedisHarness::~RedisHarness() = default;

bool RedisHarness::RunUntil(const std::function<bool()>& done) {
  return test::RunUntil(io_, done);
}

void RedisHarness::Advance(Duration duration) {
  now_s_ += duration / std::chrono::seconds(1);
  const std::string aged =
      server_.Command({"EVAL", kAgeKeys, "0", std::to_string(now_s_),
                       std::to_string(duration / std::chrono::milliseconds(1))});
  CHECK(aged == "aged");
}

bool RunUntil(boost::asio::io_context& io, const std::function<bool()>& done, Duration limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    io.restart();
    io.run_one_until(end);
  }
  return true;
}

}  // namespace minichat::test
