#include "ws/listener.h"

#include <utility>

#include "server/base/log.h"

namespace minichat::ws {

using boost::asio::ip::tcp;
using boost::system::error_code;

Listener::Listener(std::vector<boost::asio::io_context*> io, std::chrono::milliseconds pause,
                   OnAccepted on_accepted, std::function<void()> on_error)
    : io_(std::move(io)),
      pause_(pause),
      on_accepted_(std::move(on_accepted)),
      on_error_(std::move(on_error)),
      acceptor_(*io_.front()),
      timer_(*io_.front()) {}

Status Listener::Open(const std::string& host, std::uint16_t port) {
  const std::string where = "listen on " + host + ":" + std::to_string(port) + ": ";
  error_code ec;
  const auto address = boost::asio::ip::make_address(host, ec);
  if (ec) return InvalidArgument(where + "the host must be an IP address");
  const tcp::endpoint endpoint(address, port);
  acceptor_.open(endpoint.protocol(), ec);
  if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor_.bind(endpoint, ec);
  if (!ec) acceptor_.listen(tcp::acceptor::max_listen_connections, ec);
  if (ec) {
    error_code ignored;
    acceptor_.close(ignored);
    return Unavailable(where + ec.message());
  }
  port_ = acceptor_.local_endpoint(ec).port();
  return {};
}

void Listener::Accept() {
  if (!acceptor_.is_open()) return;
  const std::size_t io_index = next_;
  next_ = (next_ + 1) % io_.size();
  acceptor_.async_accept(io_[io_index]->get_executor(), [self = shared_from_this(), io_index](
                                                            const error_code& ec, Socket socket) {
    self->OnAccept(ec, std::move(socket), io_index);
  });
}

void Listener::Close() {
  error_code ignored;
  acceptor_.close(ignored);
  timer_.cancel();
}

void Listener::OnAccept(const error_code& ec, Socket socket, std::size_t io_index) {
  if (!acceptor_.is_open()) return;
  if (!ec) {
    failing_ = false;
    on_accepted_(std::move(socket), io_index);
    return Accept();
  }
  on_error_();
  if (ec == boost::asio::error::connection_aborted) return Accept();
  // EMFILE and its like don't go away by trying at once. Told once, counted always.
  if (!std::exchange(failing_, true)) {
    log::Warn("accept_failed", {{"port", port_}, {"error", ec.message()}});
  }
  AcceptAfterPause();
}

void Listener::AcceptAfterPause() {
  timer_.expires_after(pause_);
  timer_.async_wait([self = shared_from_this()](const error_code& ec) {
    if (!ec) self->Accept();
  });
}

}  // namespace minichat::ws
