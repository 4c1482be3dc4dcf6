#include "loadtest/experiments/transports/http_client.h"

#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "server/base/mutex.h"

namespace minichat::transports {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

tcp::endpoint Endpoint(std::uint16_t port) {
  return {asio::ip::address_v4::loopback(), port};
}

Request MakeRequest(const std::string& path, std::string json, bool keep_alive) {
  Request request{http::verb::post, path, 11};
  request.set(http::field::host, "127.0.0.1");
  request.set(http::field::content_type, "application/json");
  request.keep_alive(keep_alive);
  request.body() = std::move(json);
  request.prepare_payload();
  return request;
}

Result<std::string> OutcomeOf(error_code ec, Response& response) {
  if (ec) return Unavailable("http: " + ec.message());
  if (response.result() != http::status::ok) {
    return Internal("http: answered " + std::to_string(response.result_int()));
  }
  return std::move(response.body());
}

// One connection, used by one post at a time.
struct Connection {
  explicit Connection(asio::io_context& io) : socket(io) {}

  void Connect(const tcp::endpoint& endpoint, error_code& ec) {
    socket.connect(endpoint, ec);
    if (!ec) socket.set_option(tcp::no_delay(true), ec);
  }
  // What is to be read belongs to a post that failed.
  void Close() {
    error_code ignored;
    socket.close(ignored);
    buffer.clear();
  }

  tcp::socket socket;
  beast::flat_buffer buffer;
  Request request;
  Response response;
  Callback<Result<std::string>> done;  // of the asynchronous post
};

Result<std::string> Exchange(Connection& connection, const tcp::endpoint& endpoint,
                             Request request) {
  error_code ec;
  if (!connection.socket.is_open()) connection.Connect(endpoint, ec);
  if (!ec) http::write(connection.socket, request, ec);
  connection.response = {};
  if (!ec) http::read(connection.socket, connection.buffer, connection.response, ec);
  if (ec || !connection.response.keep_alive()) connection.Close();
  return OutcomeOf(ec, connection.response);
}

}  // namespace

struct BlockingHttpPool::Impl {
  // Who waits is served in order: a connection that comes back goes to the first of them.
  std::unique_ptr<Connection> Take() {
    MutexLock lock(mutex);
    if (!idle.empty()) {
      auto connection = std::move(idle.back());
      idle.pop_back();
      return connection;
    }
    Waiter self;
    waiters.push_back(&self);
    while (self.connection == nullptr) self.handed.wait(lock);
    return std::move(self.connection);
  }
  void GiveBack(std::unique_ptr<Connection> connection) {
    const MutexLock lock(mutex);  // notified inside: the waiter ends with its wait
    if (waiters.empty()) return idle.push_back(std::move(connection));
    Waiter& first = *waiters.front();
    waiters.pop_front();
    first.connection = std::move(connection);
    first.handed.notify_one();
  }

  struct Waiter {
    std::unique_ptr<Connection> connection;
    std::condition_variable_any handed;
  };

  tcp::endpoint endpoint;
  bool keep_alive = true;
  asio::io_context io;  // never run: its sockets block
  Mutex mutex;
  std::vector<std::unique_ptr<Connection>> idle MINICHAT_GUARDED_BY(mutex);
  std::deque<Waiter*> waiters MINICHAT_GUARDED_BY(mutex);
};

BlockingHttpPool::BlockingHttpPool(std::uint16_t port, std::size_t connections)
    : impl_(std::make_unique<Impl>()) {
  impl_->endpoint = Endpoint(port);
  impl_->keep_alive = connections > 0;
  const MutexLock lock(impl_->mutex);
  for (std::size_t i = 0; i < connections; ++i) {
    impl_->idle.push_back(std::make_unique<Connection>(impl_->io));
  }
}

BlockingHttpPool::~BlockingHttpPool() = default;

Result<std::string> BlockingHttpPool::Post(const std::string& path, std::string json) {
  Request request = MakeRequest(path, std::move(json), impl_->keep_alive);
  if (!impl_->keep_alive) {
    Connection once(impl_->io);
    return Exchange(once, impl_->endpoint, std::move(request));
  }
  auto connection = impl_->Take();
  auto outcome = Exchange(*connection, impl_->endpoint, std::move(request));
  impl_->GiveBack(std::move(connection));
  return outcome;
}

struct AsyncHttpPool::Impl {
  struct Waiting {
    Request request;
    Callback<Result<std::string>> done;
  };

  Impl(std::uint16_t port, std::size_t count) : endpoint(Endpoint(port)), guard(io.get_executor()) {
    for (std::size_t i = 0; i < count; ++i) {
      connections.push_back(std::make_unique<Connection>(io));
      idle.push_back(connections.back().get());
    }
    thread = std::jthread([this] { io.run(); });
  }
  ~Impl() { io.stop(); }

  // From here on, all on the pool's thread.
  void Begin(Waiting post) {
    if (idle.empty()) return waiting.push_back(std::move(post));
    Connection* connection = idle.back();
    idle.pop_back();
    Run(*connection, std::move(post));
  }

  void Run(Connection& connection, Waiting post) {
    connection.request = std::move(post.request);
    connection.done = std::move(post.done);
    connection.response = {};
    if (connection.socket.is_open()) return Write(connection);
    connection.socket.async_connect(endpoint, [this, &connection](error_code ec) {
      if (ec) return End(connection, ec);
      connection.socket.set_option(tcp::no_delay(true), ec);
      Write(connection);
    });
  }

  void Write(Connection& connection) {
    http::async_write(connection.socket, connection.request,
                      [this, &connection](error_code ec, std::size_t) {
                        if (ec) return End(connection, ec);
                        Read(connection);
                      });
  }

  void Read(Connection& connection) {
    http::async_read(connection.socket, connection.buffer, connection.response,
                     [this, &connection](error_code ec, std::size_t) { End(connection, ec); });
  }

  void End(Connection& connection, error_code ec) {
    auto outcome = OutcomeOf(ec, connection.response);
    const auto done = std::move(connection.done);
    if (ec || !connection.response.keep_alive()) connection.Close();
    if (waiting.empty()) {
      idle.push_back(&connection);
    } else {
      Waiting next = std::move(waiting.front());
      waiting.pop_front();
      Run(connection, std::move(next));
    }
    done(std::move(outcome));
  }

  const tcp::endpoint endpoint;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<Connection*> idle;
  std::deque<Waiting> waiting;  // bounded by its callers, which all wait for answers
  std::jthread thread;
};

AsyncHttpPool::AsyncHttpPool(std::uint16_t port, std::size_t connections)
    : impl_(std::make_unique<Impl>(port, connections)) {}

AsyncHttpPool::~AsyncHttpPool() = default;

void AsyncHttpPool::Post(std::string path, std::string json, Callback<Result<std::string>> done) {
  Impl::Waiting post{MakeRequest(path, std::move(json), true), std::move(done)};
  asio::post(impl_->io,
             [this, post = std::move(post)]() mutable { impl_->Begin(std::move(post)); });
}

}  // namespace minichat::transports
