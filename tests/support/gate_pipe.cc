#include "tests/support/gate_pipe.h"

#include <array>
#include <cerrno>

#include <sys/socket.h>

namespace minichat::test {

std::string_view GatePipe::ReadFrom(int fd, std::chrono::milliseconds delay, bool* alive) {
  std::array<char, 64 << 10> bytes;
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) {
    *alive = errno == EAGAIN || errno == EINTR;
    return {};
  }
  if (got == 0) {
    ended_ = true;
    return {};
  }
  const auto size = static_cast<std::size_t>(got);
  chunks_.push_back({Clock::now() + delay, std::string(bytes.data(), size)});
  queued_ += size;
  return chunks_.back().bytes;
}

bool GatePipe::WriteTo(int fd, Clock::time_point now, std::uint64_t* bytes) {
  while (WantsWrite(now)) {
    std::string& chunk = chunks_.front().bytes;
    const ssize_t sent = send(fd, chunk.data(), chunk.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    const auto size = static_cast<std::size_t>(sent);
    *bytes += size;
    queued_ -= size;
    chunk.erase(0, size);
    if (chunk.empty()) chunks_.pop_front();
  }
  return true;
}

void GatePipe::PassEnd(int fd) {
  shutdown(fd, SHUT_WR);
  chunks_.clear();
  queued_ = 0;
  ended_ = true;
  end_passed_ = true;
}

}  // namespace minichat::test
