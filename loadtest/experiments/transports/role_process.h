#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

#include "server/base/status.h"

namespace minichat::transports {

// This program once more, in another role, with pipes to its standard input and from its standard
// output.
//
// Lifetime:  its end closes the pipes, kills the process, and waits for it. The process dies with
//            the thread that made it, too.
// Threading: confined to one thread.
class RoleProcess {
 public:
  // Throws when it can't be started.
  explicit RoleProcess(const std::vector<std::string>& args);
  ~RoleProcess();
  RoleProcess(const RoleProcess&) = delete;
  RoleProcess& operator=(const RoleProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Without its end.
  Result<std::string> ReadLine(std::chrono::milliseconds limit);
  // A role that serves tells its figures then, and ends.
  void CloseInput();

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string read_;  // and not yet taken
};

// For the first lines of a role: it must not outlive the process that started it.
void DieWithParent();

}  // namespace minichat::transports
