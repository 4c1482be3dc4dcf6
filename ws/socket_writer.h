#pragma once

#include "ws/socket.h"
#include "ws/writer.h"

namespace minichat::ws {

// Writes to a TCP socket, one system call each time. A peer that is gone raises no signal.
//
// Lifetime:  the socket outlives it. Threading: as the socket.
class SocketWriter final : public Writer {
 public:
  explicit SocketWriter(Socket& socket) : socket_(socket) {}

  std::optional<std::size_t> Write(std::span<const iovec> parts) override;

 private:
  Socket& socket_;
};

}  // namespace minichat::ws
