#include "loadtest/experiments/transports/role_process.h"

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace minichat::transports {
namespace {

constexpr char kSelf[] = "/proc/self/exe";

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  int Keep(std::size_t end) { return std::exchange(ends[end], -1); }

  std::array<int, 2> ends{-1, -1};
};

std::vector<char*> Pointers(std::vector<std::string>& args) {
  std::vector<char*> pointers;
  pointers.reserve(args.size() + 1);
  for (std::string& arg : args) pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

RoleProcess::RoleProcess(const std::vector<std::string>& args) {
  Pipe in, out;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  std::vector<std::string> argv{kSelf};
  argv.insert(argv.end(), args.begin(), args.end());
  const int failed = posix_spawn(&pid_, kSelf, &actions, nullptr, Pointers(argv).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("can't start a second process");
  input_ = in.Keep(1);
  output_ = out.Keep(0);
}

RoleProcess::~RoleProcess() {
  CloseInput();
  close(output_);
  kill(pid_, SIGKILL);  // gone already, when all went well
  waitpid(pid_, nullptr, 0);
}

Result<std::string> RoleProcess::ReadLine(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (const auto line = read_.find('\n'); line != std::string::npos) {
      std::string text = read_.substr(0, line);
      read_.erase(0, line + 1);
      return text;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd entry{output_, POLLIN, 0};
    if (left.count() <= 0 || poll(&entry, 1, static_cast<int>(left.count())) <= 0) {
      return DeadlineExceeded("a process of the experiment says nothing");
    }
    std::array<char, 4096> bytes;
    const ssize_t got = read(output_, bytes.data(), bytes.size());
    if (got <= 0) return Unavailable("a process of the experiment ended early");
    read_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

void RoleProcess::CloseInput() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

void DieWithParent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace minichat::transports
