#pragma once

#include "loadtest/client/endpoint.h"

namespace minichat::test {

// A TCP listener on a free port of 127.0.0.1.
//
// Lifetime:  the port is taken until this is destroyed.
// Threading: any one thread.
// Errors:    the constructor throws std::runtime_error when the system gives no socket.
class LoopbackListener {
 public:
  // `flags`: SOCK_NONBLOCK or 0, for accept().
  explicit LoopbackListener(int flags = 0);

  const loadtest::Fd& fd() const { return fd_; }
  const loadtest::Endpoint& endpoint() const { return endpoint_; }
  // The next connection, with `flags` as above; invalid if there is none.
  loadtest::Fd Accept(int flags = 0) const;

 private:
  loadtest::Fd fd_;
  loadtest::Endpoint endpoint_;
};

}  // namespace minichat::test
