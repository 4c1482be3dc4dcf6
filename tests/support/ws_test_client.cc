#include "tests/support/ws_test_client.h"

#include <chrono>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace minichat::test {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kLimit{10};

tcp::endpoint Local(std::uint16_t port) {
  return {asio::ip::address_v4::loopback(), port};
}

}  // namespace

struct WsTestClient::Impl {
  asio::io_context io;
  websocket::stream<tcp::socket> stream{io};
  boost::beast::flat_buffer buffer;
  std::string failure;
  std::string subprotocol;
  std::string server;
  int close_code = 0;

  // Runs the operations that were started; false when the limit passed first.
  bool Run() {
    io.restart();
    io.run_for(kLimit);
    return io.stopped();
  }

  error_code Read() {
    error_code result = asio::error::timed_out;
    stream.async_read(buffer, [&](const error_code& ec, std::size_t) { result = ec; });
    if (!Run()) {
      error_code ignored;
      stream.next_layer().close(ignored);
      Run();
    }
    if (result) close_code = result == websocket::error::closed ? stream.reason().code : 1006;
    return result;
  }
};

WsTestClient::WsTestClient(std::uint16_t port, const std::string& subprotocol,
                           const std::string& origin)
    : impl_(std::make_unique<Impl>()) {
  auto& stream = impl_->stream;
  stream.next_layer().connect(Local(port));
  stream.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
    if (!subprotocol.empty()) {
      request.set(boost::beast::http::field::sec_websocket_protocol, subprotocol);
    }
    if (!origin.empty()) request.set(boost::beast::http::field::origin, origin);
  }));
  websocket::response_type response;
  error_code result = asio::error::timed_out;
  stream.async_handshake(response, "127.0.0.1", "/ws", [&](const error_code& ec) { result = ec; });
  impl_->Run();
  if (result == websocket::error::upgrade_declined) {
    impl_->failure = std::to_string(response.result_int());
  } else if (result) {
    impl_->failure = result.message();
  }
  const auto chosen = response[boost::beast::http::field::sec_websocket_protocol];
  impl_->subprotocol.assign(chosen.data(), chosen.size());
  const auto server = response[boost::beast::http::field::server];
  impl_->server.assign(server.data(), server.size());
}

WsTestClient::~WsTestClient() = default;

const std::string& WsTestClient::failure() const {
  return impl_->failure;
}

const std::string& WsTestClient::subprotocol() const {
  return impl_->subprotocol;
}

const std::string& WsTestClient::server() const {
  return impl_->server;
}

void WsTestClient::Send(const std::string& text) {
  error_code ignored;
  impl_->stream.text(true);
  impl_->stream.write(asio::buffer(text), ignored);
}

void WsTestClient::SendBinary(const std::string& bytes) {
  error_code ignored;
  impl_->stream.binary(true);
  impl_->stream.write(asio::buffer(bytes), ignored);
}

void WsTestClient::SendRaw(const std::string& bytes) {
  error_code ignored;
  asio::write(impl_->stream.next_layer(), asio::buffer(bytes), ignored);
}

std::string WsTestClient::Receive() {
  for (;;) {
    std::string frame = ReceiveAny();
    if (frame.find(R"({"op":"presence")") != 0) return frame;
  }
}

std::string WsTestClient::ReceiveAny() {
  impl_->buffer.clear();
  if (impl_->Read()) return "";
  return std::string(static_cast<const char*>(impl_->buffer.cdata().data()),
                     impl_->buffer.cdata().size());
}

int WsTestClient::AwaitClose() {
  while (impl_->close_code == 0) {
    impl_->buffer.clear();
    impl_->Read();
  }
  return impl_->close_code;
}

int WsTestClient::close_code() const {
  return impl_->close_code;
}

void WsTestClient::HalfClose() {
  error_code ignored;
  impl_->stream.next_layer().shutdown(tcp::socket::shutdown_send, ignored);
}

void WsTestClient::Drop() {
  error_code ignored;
  impl_->stream.next_layer().close(ignored);
}

void WsTestClient::ShrinkReceiveBuffer() {
  impl_->stream.next_layer().set_option(asio::socket_base::receive_buffer_size(4096));
}

std::string HttpExchange(std::uint16_t port, const std::string& request) {
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect(Local(port));
  asio::write(socket, asio::buffer(request));
  std::string response;
  asio::async_read(socket, asio::dynamic_buffer(response), [](const error_code&, std::size_t) {});
  io.run_for(kLimit);
  return response;
}

}  // namespace minichat::test
