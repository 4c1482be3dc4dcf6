#pragma once

#include <ctime>

#include <sys/types.h>
#include <time.h>

namespace minichat::bench {

// User and system time of a process, from the kernel's own account in nanoseconds; 0 when it is
// gone. What the kernel does on loopback to receive is in the account of the process that sent.
inline double CpuSeconds(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace minichat::bench
