#include "ws/server.h"

#include <utility>

#include <boost/asio/dispatch.hpp>

#include "server/base/log.h"
#include "ws/client_session.h"
#include "ws/http_session.h"
#include "ws/io_thread.h"
#include "ws/listener.h"

namespace minichat::ws {

struct Server::Impl {
  Impl(ServerOptions options, const ServerDeps& deps, const SessionOptions* sessions,
       core::ChatNode* node);

  void OnAccepted(Socket socket, std::size_t io_index);
  void ForEachThread(void (IoThread::*work)());
  void CloseAll(Deadline deadline, std::function<void()> when_done);
  void Done();

  Scheduler& core;
  const std::shared_ptr<ServerContext> context;
  std::vector<std::unique_ptr<IoThread>> threads;
  std::shared_ptr<Listener> listener;
  std::function<void()> done;
  Scheduler::TimerId cut_timer = 0;
};

Server::Impl::Impl(ServerOptions options, const ServerDeps& deps, const SessionOptions* sessions,
                   core::ChatNode* node)
    : core(deps.core),
      context(new ServerContext{std::move(options), deps.core, deps.routes,
                                std::make_shared<WsMetrics>(deps.metrics)}) {
  if (node != nullptr) {
    context->clients = std::make_shared<ClientContext>(
        ClientContext{*sessions, deps.core, *node, context->metrics, Outbox(deps.core, deps.io),
                      Admission(*sessions, deps.core, deps.authenticator),
                      SessionExpiry(deps.core, sessions->expiry_tick)});
  }
  for (std::size_t i = 0; i < deps.io.size(); ++i) {
    threads.push_back(std::make_unique<IoThread>(i, *deps.io[i], context));
  }
  listener = std::make_shared<Listener>(
      deps.io, context->options.accept_pause,
      [this](Socket socket, std::size_t io_index) { OnAccepted(std::move(socket), io_index); },
      [this] { context->metrics->accept_errors.Increment(); });
}

void Server::Impl::OnAccepted(Socket socket, std::size_t io_index) {
  if (context->connections >= context->options.max_connections) {
    context->metrics->connections_refused.Increment();
    return;  // closes it
  }
  ++context->connections;
  context->metrics->connections.Increment();
  IoThread& thread = *threads[io_index];
  boost::asio::dispatch(thread.io(), [&thread, socket = std::move(socket)]() mutable {
    StartHttpSession(std::move(socket), thread);
  });
}

void Server::Impl::ForEachThread(void (IoThread::*work)()) {
  for (const auto& thread : threads) {
    boost::asio::dispatch(thread->io(), [&thread = *thread, work] { (thread.*work)(); });
  }
}

void Server::Impl::CloseAll(Deadline deadline, std::function<void()> when_done) {
  done = std::move(when_done);
  context->on_empty = [this] { Done(); };
  context->leaving = true;
  ForEachThread(&IoThread::LeaveAll);
  if (context->connections == 0) return Done();
  cut_timer = core.RunAfter(deadline.Remaining(core.Now()), [this] {
    cut_timer = 0;
    log::Warn("connections_cut", {{"count", context->connections.load()}});
    ForEachThread(&IoThread::CutAll);
  });
}

void Server::Impl::Done() {
  if (!done || context->connections > 0) return;
  if (cut_timer != 0) core.Cancel(std::exchange(cut_timer, 0));
  std::exchange(done, nullptr)();
}

Server::Server(ServerOptions options, ServerDeps deps)
    : impl_(std::make_unique<Impl>(std::move(options), deps, nullptr, nullptr)) {}

Server::Server(ServerOptions options, ServerDeps deps, SessionOptions sessions,
               core::ChatNode& node)
    : impl_(std::make_unique<Impl>(std::move(options), deps, &sessions, &node)) {}

Server::~Server() {
  impl_->context->on_empty = nullptr;
  StopAccepting();
}

Status Server::Start() {
  const ServerOptions& options = impl_->context->options;
  if (Status status = impl_->listener->Open(options.host, options.port); !status.ok()) {
    return status;
  }
  impl_->listener->Accept();
  return {};
}

std::uint16_t Server::port() const {
  return impl_->listener->port();
}

std::size_t Server::connection_count() const {
  return impl_->context->connections;
}

void Server::StopAccepting() {
  impl_->listener->Close();
}

void Server::CloseAll(Deadline deadline, std::function<void()> done) {
  StopAccepting();
  impl_->CloseAll(deadline, std::move(done));
}

}  // namespace minichat::ws
