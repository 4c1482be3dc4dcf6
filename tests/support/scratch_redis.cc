#include "tests/support/scratch_redis.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/check.h"

namespace minichat::test {
namespace {

constexpr int kLaunches = 5;

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

// Until the server says that it is ready; false: it ended first.
bool ReadUntilReady(int fd) {
  std::string output;
  char buffer[1024];
  while (output.find("Ready to accept connections") == std::string::npos) {
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count <= 0) return false;
    output.append(buffer, static_cast<std::size_t>(count));
  }
  return true;
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

ScratchRedis::ScratchRedis(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "minichat-redis-XXXXXX").string();
  CHECK(mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
}

ScratchRedis::~ScratchRedis() {
  Kill();
  std::error_code ec;
  std::filesystem::remove_all(folder_, ec);
}

std::string ScratchRedis::Url(int database, const std::string& user_info) const {
  const std::string at = user_info.empty() ? "" : user_info + "@";
  return "redis://" + at + "127.0.0.1:" + std::to_string(port_) + "/" + std::to_string(database);
}

bool ScratchRedis::Launch() {
  std::vector<std::string> argv = {
      "redis-server", "--bind", "127.0.0.1",    "--port", std::to_string(port_), "--dir", folder_,
      "--save",       "",       "--appendonly", "no",     "--daemonize",         "no"};
  argv.insert(argv.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> pointers;
  for (std::string& argument : argv) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  int output[2];
  CHECK(pipe2(output, O_CLOEXEC) == 0);
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output[1], STDOUT_FILENO);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(output[1]);
  output_ = output[0];
  if (ReadUntilReady(output_)) return true;
  Kill();
  return false;
}

void ScratchRedis::Kill() {
  if (link_ != nullptr) redisFree(std::exchange(link_, nullptr));
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  if (output_ >= 0) close(std::exchange(output_, -1));
}

void ScratchRedis::Pause() {
  kill(pid_, SIGSTOP);
  int status = 0;
  CHECK(waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status));
}

void ScratchRedis::Resume() {
  kill(pid_, SIGCONT);
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
