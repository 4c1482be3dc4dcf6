#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/scratch_process.h"

struct redisContext;

namespace minichat::test {

// A redis-server of one's own: on loopback, in a temporary folder, without persistence.
//
// Lifetime:  its end kills the server and removes the folder.
// Threading: confined to the thread that started it.
class ScratchRedis {
 public:
  // Null: there is no redis-server on this machine. `arguments` are added to the command line.
  static std::unique_ptr<ScratchRedis> Start(std::vector<std::string> arguments = {});
  ~ScratchRedis();
  ScratchRedis(const ScratchRedis&) = delete;

  std::uint16_t port() const { return port_; }
  std::string Url(int database = 0, const std::string& user_info = "") const;

  // The server stands still (and is seen to), or goes on.
  void Pause();
  void Resume();
  // Ends it, and starts an empty one on the same port.
  void Restart();

  // Sends a command on a blocking link of its own; the reply as text, arrays one element per line.
  std::string Command(const std::vector<std::string>& argv);

 private:
  explicit ScratchRedis(std::vector<std::string> arguments);
  bool Launch();
  void Kill();

  const std::vector<std::string> arguments_;
  ScratchDir folder_{"redis"};
  std::uint16_t port_ = 0;
  int launches_ = 0;
  std::unique_ptr<ScratchProcess> process_;
  redisContext* link_ = nullptr;
};

}  // namespace minichat::test

// At the start of a test that needs `redis`, a unique_ptr from ScratchRedis::Start().
#define MINICHAT_NEED_REDIS(redis)                                          \
  if ((redis) == nullptr) {                                                 \
    if (::minichat::test::ServicesAreRequired()) {                          \
      FAIL() << "redis-server is not installed, and services are required"; \
    }                                                                       \
    GTEST_SKIP() << "redis-server is not installed (package redis-server)"; \
  }
