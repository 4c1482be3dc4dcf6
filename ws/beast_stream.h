#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include "ws/socket.h"

namespace minichat::ws {

// Who brings Beast's own bytes to the socket.
//
// Threading: called on the socket's I/O thread.
class BeastWrites {
 public:
  using Done = std::function<void(const boost::system::error_code&, std::size_t)>;

  virtual ~BeastWrites() = default;
  // Whole frames, or the handshake's response. `done` is called once, when they are out or never
  // will be, and posts what it does. At most one call is under way at a time.
  virtual void WriteForBeast(std::string bytes, Done done) = 0;
};

// The layer below Beast's websocket::stream: reads come from the socket; what Beast writes goes
// where the session's frames go, so that nothing cuts into a frame that is half out
// (docs/adr/0008-own-outbound-path.md).
//
// Lifetime:  `writes` outlives its operations.
// Threading: confined to the socket's I/O thread.
class BeastStream {
 public:
  using executor_type = Socket::executor_type;

  BeastStream(Socket socket, BeastWrites& writes) : socket_(std::move(socket)), writes_(writes) {}

  executor_type get_executor() { return socket_.get_executor(); }
  Socket& socket() { return socket_; }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return socket_.async_read_some(buffers, std::forward<Token>(token));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    using Signature = void(boost::system::error_code, std::size_t);
    return boost::asio::async_initiate<Token, Signature>(
        [this](auto handler, const Buffers& given) {
          // Done can be copied; Beast's handlers can't. Control frames are rare.
          auto kept = std::make_shared<decltype(handler)>(std::move(handler));
          writes_.WriteForBeast(boost::beast::buffers_to_string(given),
                                [kept, executor = socket_.get_executor()](
                                    const boost::system::error_code& ec, std::size_t bytes) {
                                  boost::asio::post(executor, boost::beast::bind_front_handler(
                                                                  std::move(*kept), ec, bytes));
                                });
        },
        token, buffers);
  }

 private:
  Socket socket_;
  BeastWrites& writes_;
};

// Reads away what still comes until the client has closed as well. Closing with unread input would
// make the kernel reset the connection, and the client might never see its close frame: Beast's own
// teardown stops after one read. Whoever owns the socket limits the time, by closing it.
//
// Threading: confined to the socket's I/O thread.
template <class Handler>
class ReadAway {
 public:
  ReadAway(Socket& socket, Handler handler)
      : socket_(socket), kept_(std::make_shared<Kept>(std::move(handler))) {}

  void Start() { socket_.async_read_some(boost::asio::buffer(kept_->bytes), *this); }
  void operator()(boost::system::error_code ec, std::size_t) {
    if (!ec) return Start();
    if (ec == boost::asio::error::eof) ec = {};
    boost::system::error_code ignored;
    socket_.close(ignored);
    kept_->handler(ec);
  }

 private:
  struct Kept {
    explicit Kept(Handler given) : handler(std::move(given)) {}
    Handler handler;
    std::array<char, 2048> bytes;
  };

  Socket& socket_;
  std::shared_ptr<Kept> kept_;
};

// Beast finds these three by name, for the end of a connection and for its handshake's time limit.
inline void teardown(boost::beast::role_type role, BeastStream& stream,
                     boost::system::error_code& ec) {
  boost::beast::websocket::teardown(role, stream.socket(), ec);
}

template <class Handler>
void async_teardown(boost::beast::role_type, BeastStream& stream, Handler&& handler) {
  boost::system::error_code ignored;
  stream.socket().shutdown(Socket::shutdown_send, ignored);
  ReadAway<std::decay_t<Handler>>(stream.socket(), std::forward<Handler>(handler)).Start();
}

inline void beast_close_socket(BeastStream& stream) {
  boost::system::error_code ignored;
  stream.socket().close(ignored);
}

}  // namespace minichat::ws
