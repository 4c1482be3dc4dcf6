#include "loadtest/load_program/open_files.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include <sys/resource.h>

namespace minichat::loadtest {
namespace {

constexpr std::size_t kOthers = 32;  // standard streams, the epoll, report files, admin calls

}  // namespace

Result<std::size_t> RaiseOpenFiles(std::size_t connections) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
    return Unavailable("open files: " + std::generic_category().message(errno));
  }
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_NOFILE, &files);
  const auto limit = static_cast<std::size_t>(files.rlim_cur);
  if (limit >= connections + kOthers) return limit;
  return ResourceExhausted("open files: " + std::to_string(connections) + " connections need " +
                           std::to_string(connections + kOthers) + ", and the hard limit is " +
                           std::to_string(limit) + " (ulimit -Hn)");
}

}  // namespace minichat::loadtest
