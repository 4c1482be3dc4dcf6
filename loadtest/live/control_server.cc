#include "loadtest/live/control_server.h"

#include <future>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "server/base/asio_scheduler.h"
#include "server/base/metrics.h"
#include "ws/server.h"

namespace minichat::loadtest {
namespace {

constexpr std::chrono::milliseconds kCloseLimit{500};
constexpr std::size_t kMaxConnections = 64;

ws::ServerOptions OptionsFor(const Endpoint& address) {
  ws::ServerOptions options;
  options.host = address.host;
  options.port = address.port;
  options.max_connections = kMaxConnections;
  return options;
}

}  // namespace

struct ControlServer::Impl {
  Impl(const Endpoint& listen, HttpRoutes& routes)
      : host(listen.host), server(OptionsFor(listen), {scheduler, {&io}, routes, metrics}) {}

  const std::string host;
  MetricsRegistry metrics;  // the listener counts; nobody reads it
  boost::asio::io_context io{1};
  AsioScheduler scheduler{io};
  ws::Server server;
  std::jthread thread;
};

Result<std::unique_ptr<ControlServer>> ControlServer::Start(const Endpoint& address,
                                                            HttpRoutes& routes) {
  if (!address.host.starts_with("127.")) {
    return InvalidArgument("only loopback addresses, 127.x.x.x, may be listened on");
  }
  auto impl = std::make_unique<Impl>(address, routes);
  if (const Status started = impl->server.Start(); !started.ok()) return started;
  impl->thread = std::jthread([&io = impl->io] {
    const auto guard = boost::asio::make_work_guard(io);
    io.run();
  });
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

ControlServer::ControlServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ControlServer::~ControlServer() {
  std::promise<void> closed;
  impl_->scheduler.Post([this, &closed] {
    const Deadline limit = Deadline::After(impl_->scheduler, kCloseLimit);
    impl_->server.CloseAll(limit, [&closed] { closed.set_value(); });
  });
  closed.get_future().wait();
  impl_->io.stop();
  impl_->thread.join();
}

Endpoint ControlServer::address() const {
  return {impl_->host, impl_->server.port()};
}

}  // namespace minichat::loadtest
