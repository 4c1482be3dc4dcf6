#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace minichat::test {

// A private temporary folder, removed with all that is in it at its end.
//
// Threading: immutable.
class ScratchDir {
 public:
  explicit ScratchDir(const std::string& name);
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A program that a test started. It dies with the test, also when that is killed.
//
// Lifetime:  its end kills the program and waits for it.
// Threading: confined to the thread that made it: the program dies when that thread ends.
// Errors:    a program that can't be started ends at once with exit code 127.
class ScratchProcess {
 public:
  // Standard output and error go to `log_file`, appended. Runs as `user` when that isn't empty.
  ScratchProcess(const std::vector<std::string>& command, const std::filesystem::path& log_file,
                 const std::string& user = "");
  ~ScratchProcess();
  ScratchProcess(const ScratchProcess&) = delete;
  ScratchProcess& operator=(const ScratchProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool running();
  // After SIGSTOP it stands still when this returns.
  void Signal(int signal) const;
  // Waits for the end; the exit code, or 128 + the signal that ended it.
  int Wait();

 private:
  pid_t pid_ = -1;
  bool reaped_ = false;
  int exit_code_ = -1;
};

// Runs a program to its end; its exit code.
int RunToEnd(const std::vector<std::string>& command, const std::filesystem::path& log_file,
             const std::string& user = "");

// A TCP port of 127.0.0.1 that nobody listens on. Ports below the kernel's range for outgoing
// connections, so that no connection takes it before the service does.
std::uint16_t FreePort();

// Asks until `condition` holds; false when it doesn't within `limit`.
bool WaitFor(const std::function<bool()>& condition, std::chrono::milliseconds limit);

// True when a service that is missing here must fail the test rather than skip it.
bool ServicesAreRequired();
std::string ReadTail(const std::filesystem::path& file);

}  // namespace minichat::test
