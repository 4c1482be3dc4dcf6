#include "tests/support/scratch_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace minichat::test {
namespace {

constexpr int kNotStarted = 127;

// Only calls that are safe between fork and exec of a program with threads.
[[noreturn]] void Exec(char* const* argv, int log, const passwd* user) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (user != nullptr &&
      (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) {
    _exit(kNotStarted);
  }
  // Changing the user clears it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execvp(argv[0], argv);
  _exit(kNotStarted);
}

int ExitCode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool CanListen(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return free;
}

}  // namespace

ScratchDir::ScratchDir(const std::string& name) {
  std::string pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
  path_ = pattern;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;  // what is left in a temporary folder harms nobody
  std::filesystem::remove_all(path_, ignored);
}

ScratchProcess::ScratchProcess(const std::vector<std::string>& command,
                               const std::filesystem::path& log_file, const std::string& user) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& part : command) argv.push_back(const_cast<char*>(part.c_str()));
  argv.push_back(nullptr);
  const passwd* account = user.empty() ? nullptr : getpwnam(user.c_str());
  if (!user.empty() && account == nullptr) throw std::runtime_error("no user " + user);
  const int log = open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) throw std::runtime_error("cannot write " + log_file.string());
  pid_ = fork();
  if (pid_ == 0) Exec(argv.data(), log, account);
  close(log);
  if (pid_ < 0) throw std::runtime_error("fork failed");
}

ScratchProcess::~ScratchProcess() {
  Signal(SIGKILL);
  Wait();
}

bool ScratchProcess::running() {
  int status = 0;
  if (!reaped_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    reaped_ = true;
    exit_code_ = ExitCode(status);
  }
  return !reaped_;
}

void ScratchProcess::Signal(int signal) const {
  if (reaped_ || kill(pid_, signal) != 0 || signal != SIGSTOP) return;
  // Threads stop one after the other: until all have, one may still answer.
  siginfo_t stopped{};
  waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT);
}

int ScratchProcess::Wait() {
  int status = 0;
  while (!reaped_) {
    if (waitpid(pid_, &status, 0) == pid_) {
      reaped_ = true;
      exit_code_ = ExitCode(status);
    }
  }
  return exit_code_;
}

int RunToEnd(const std::vector<std::string>& command, const std::filesystem::path& log_file,
             const std::string& user) {
  return ScratchProcess(command, log_file, user).Wait();
}

std::uint16_t FreePort() {
  static std::mt19937 random{std::random_device{}()};
  static std::set<std::uint16_t> given;  // nobody may listen there yet
  std::uniform_int_distribution<std::uint16_t> ports(20'000, 32'000);
  for (;;) {
    const std::uint16_t port = ports(random);
    if (CanListen(port) && given.insert(port).second) return port;
  }
}

bool WaitFor(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    poll(nullptr, 0, 2);  // the pause between two looks, not a guess at how long something takes
  }
  return true;
}

bool ServicesAreRequired() {
  return std::getenv("CI") != nullptr || std::getenv("MINICHAT_REQUIRE_SERVICES") != nullptr;
}

std::string ReadTail(const std::filesystem::path& file) {
  std::ostringstream all;
  all << std::ifstream(file).rdbuf();
  const std::string text = all.str();
  constexpr std::size_t kTail = 4'000;
  return text.size() <= kTail ? text : text.substr(text.size() - kTail);
}

}  // namespace minichat::test
