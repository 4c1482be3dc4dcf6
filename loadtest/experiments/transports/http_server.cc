#include "loadtest/experiments/transports/http_server.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace minichat::transports {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// A connection: one request after the other, each answered before the next is read.
//
// Lifetime:  shared by its pending operation, or by the response that it waits for.
// Threading: one thread at a time, as only one operation is pending.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const HttpHandler& handler)
      : socket_(std::move(socket)), handler_(handler) {}

  void Read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_,
                     [self = shared_from_this()](error_code ec, std::size_t) {
                       if (!ec) self->Handle();
                     });
  }

 private:
  void Handle() {
    if (request_.method() != http::verb::post) return Write({});
    HttpPost post{std::string(request_.target()), std::move(request_.body())};
    handler_(std::move(post), [self = shared_from_this()](std::string json) {
      asio::dispatch(self->socket_.get_executor(),
                     [self, json = std::move(json)]() mutable { self->Write(std::move(json)); });
    });
  }

  void Write(std::string json) {
    response_ = {json.empty() ? http::status::bad_request : http::status::ok, request_.version()};
    response_.set(http::field::content_type, "application/json");
    response_.keep_alive(request_.keep_alive());
    response_.body() = std::move(json);
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (ec) return;
      if (self->response_.keep_alive()) return self->Read();
      error_code ignored;  // the other side may have gone first
      self->socket_.shutdown(tcp::socket::shutdown_both, ignored);
    });
  }

  tcp::socket socket_;
  const HttpHandler& handler_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

}  // namespace

struct HttpServer::Impl {
  Impl(std::size_t thread_count, HttpHandler what)
      : handler(std::move(what)),
        io(static_cast<int>(thread_count)),
        acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    acceptor.listen(asio::socket_base::max_listen_connections);
    Accept();
    for (std::size_t i = 0; i < thread_count; ++i) threads.emplace_back([this] { io.run(); });
  }
  ~Impl() {
    io.stop();
    threads.clear();
  }

  void Accept() {
    acceptor.async_accept([this](error_code ec, tcp::socket socket) {
      if (ec == asio::error::operation_aborted) return;
      if (!ec) {
        ++accepted;
        error_code ignored;  // only slower without it
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<Session>(std::move(socket), handler)->Read();
      }
      Accept();
    });
  }

  const HttpHandler handler;
  std::atomic<std::uint64_t> accepted = 0;
  asio::io_context io;
  tcp::acceptor acceptor;
  std::vector<std::jthread> threads;
};

HttpServer::HttpServer(std::size_t threads, HttpHandler handler)
    : impl_(std::make_unique<Impl>(threads, std::move(handler))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
  return impl_->acceptor.local_endpoint().port();
}

std::uint64_t HttpServer::connections() const {
  return impl_->accepted;
}

}  // namespace minichat::transports
