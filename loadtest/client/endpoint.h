#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/base/status.h"

namespace minichat::loadtest {

// An IPv4 address and port: all that local clusters and load generators need.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;

  std::string ToString() const { return host + ":" + std::to_string(port); }
  bool operator==(const Endpoint&) const = default;
};

// "127.0.0.1:8081"
Result<Endpoint> ParseEndpoint(std::string_view text);

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.Release()) {}
  Fd& operator=(Fd&& other) noexcept {
    Reset(other.Release());
    return *this;
  }
  ~Fd() { Reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

// A non-blocking TCP socket that is connecting to `endpoint`.
Result<Fd> StartConnect(const Endpoint& endpoint);
// How the connect of a socket that became writable ended.
Status ConnectOutcome(int fd);

}  // namespace minichat::loadtest
