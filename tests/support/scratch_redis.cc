#include "tests/support/scratch_redis.h"

#include <csignal>
#include <cstdlib>
#include <utility>

#include <hiredis/hiredis.h>
#include <unistd.h>

#include "server/base/check.h"

namespace minichat::test {
namespace {

constexpr int kLaunches = 5;
constexpr std::chrono::seconds kStartLimit{20};

bool IsInstalled(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    if (access((rest.substr(0, colon) + "/" + program).c_str(), X_OK) == 0) return true;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return false;
}

std::string ToText(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return std::to_string(reply.integer);
  if (reply.type != REDIS_REPLY_ARRAY) {
    return reply.str != nullptr ? std::string(reply.str, reply.len) : "";
  }
  std::string text;
  for (std::size_t i = 0; i < reply.elements; ++i) text += ToText(*reply.element[i]) + "\n";
  return text;
}

}  // namespace

std::unique_ptr<ScratchRedis> ScratchRedis::Start(std::vector<std::string> arguments) {
  if (!IsInstalled("redis-server")) return nullptr;
  std::unique_ptr<ScratchRedis> redis(new ScratchRedis(std::move(arguments)));
  for (int i = 0; i < kLaunches; ++i) {  // another program may take the free port first
    redis->port_ = FreePort();
    if (redis->Launch()) return redis;
  }
  CHECK(false);  // an installed redis-server starts on a free port
  return nullptr;
}

ScratchRedis::ScratchRedis(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

ScratchRedis::~ScratchRedis() {
  Kill();
}

std::string ScratchRedis::Url(int database, const std::string& user_info) const {
  const std::string at = user_info.empty() ? "" : user_info + "@";
  return "redis://" + at + "127.0.0.1:" + std::to_string(port_) + "/" + std::to_string(database);
}

bool ScratchRedis::Launch() {
  std::vector<std::string> command = {"redis-server",
                                      "--bind",
                                      "127.0.0.1",
                                      "--port",
                                      std::to_string(port_),
                                      "--dir",
                                      folder_.path(),
                                      "--save",
                                      "",
                                      "--appendonly",
                                      "no"};
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  const auto log = folder_.path() / ("redis" + std::to_string(++launches_) + ".log");
  process_ = std::make_unique<ScratchProcess>(command, log);
  // Its own word: on that port another server might answer.
  const auto ready = [&] {
    return ReadTail(log).find("Ready to accept connections") != std::string::npos;
  };
  WaitFor([&] { return ready() || !process_->running(); }, kStartLimit);
  if (ready()) return true;
  Kill();
  return false;
}

void ScratchRedis::Kill() {
  if (link_ != nullptr) redisFree(std::exchange(link_, nullptr));
  process_ = nullptr;
}

void ScratchRedis::Pause() {
  process_->Signal(SIGSTOP);
}

void ScratchRedis::Resume() {
  process_->Signal(SIGCONT);
}

void ScratchRedis::Restart() {
  Kill();
  CHECK(Launch());  // the port was its own a moment ago
}

std::string ScratchRedis::Command(const std::vector<std::string>& argv) {
  if (link_ == nullptr) link_ = redisConnect("127.0.0.1", port_);
  CHECK(link_ != nullptr && link_->err == 0);
  std::vector<const char*> parts;
  std::vector<std::size_t> sizes;
  for (const std::string& part : argv) {
    parts.push_back(part.data());
    sizes.push_back(part.size());
  }
  auto* reply = static_cast<redisReply*>(
      redisCommandArgv(link_, static_cast<int>(argv.size()), parts.data(), sizes.data()));
  if (reply == nullptr) {  // the link ended: the next call makes a new one
    redisFree(std::exchange(link_, nullptr));
    return "(no reply)";
  }
  std::string text = ToText(*reply);
  freeReplyObject(reply);
  return text;
}

}  // namespace minichat::test
