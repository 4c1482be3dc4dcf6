#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/base/status.h"
#include "ws/socket.h"

namespace minichat::ws {

// Accepts TCP connections and gives them out to the I/O threads in turn. No error ends it: when
// descriptors are lacking it pauses, and goes on.
//
// Lifetime:  shared; Close() before the io_contexts end.
// Threading: confined to the thread of the first io_context; handlers run there.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  // `io_index`: the I/O thread that the socket is bound to.
  using OnAccepted = std::function<void(Socket socket, std::size_t io_index)>;

  Listener(std::vector<boost::asio::io_context*> io, std::chrono::milliseconds pause,
           OnAccepted on_accepted, std::function<void()> on_error);

  // Binds and listens; port 0 takes a free one.
  Status Open(const std::string& host, std::uint16_t port);
  std::uint16_t port() const { return port_; }
  void Accept();
  void Close();

 private:
  void OnAccept(const boost::system::error_code& ec, Socket socket, std::size_t io_index);
  void AcceptAfterPause();

  const std::vector<boost::asio::io_context*> io_;
  const std::chrono::milliseconds pause_;
  const OnAccepted on_accepted_;
  const std::function<void()> on_error_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer timer_;
  std::uint16_t port_ = 0;
  std::size_t next_ = 0;
  bool failing_ = false;  // since the last accept that succeeded
};

}  // namespace minichat::ws
