#include "ws/server.h"

#include <optional>
#include <utility>

#include <boost/asio/dispatch.hpp>

#include "server/base/log.h"
#include "ws/client_session.h"
#include "ws/http_session.h"
#include "ws/io_thread.h"
#include "ws/listener.h"
#include "ws/turn_away.h"

namespace minichat::ws {

struct Server::Impl {
  Impl(const ServerOptions& options, const ServerDeps& deps, const SessionOptions* sessions,
       core::ChatNode* node);

  void OnAccepted(Socket socket, std::size_t io_index);
  std::optional<Refused> Enter(Socket& socket, const PeerKey& peer);
  void Refuse(Socket socket, Refused why);
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

Server::Impl::Impl(const ServerOptions& options, const ServerDeps& deps,
                   const SessionOptions* sessions, core::ChatNode* node)
    : core(deps.core),
      context(new ServerContext{
          options, deps.core, deps.routes,
          std::make_shared<WsMetrics>(deps.metrics, options.outbound.node_bytes)}) {
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
  boost::system::error_code ec;
  const auto endpoint = socket.remote_endpoint(ec);
  if (ec) return;  // it is gone again
  const PeerKey peer = PeerKeyOf(endpoint.address());
  if (const auto refused = Enter(socket, peer)) return Refuse(std::move(socket), *refused);
  ++context->connections;
  context->metrics->connections.Increment();
  IoThread& thread = *threads[io_index];
  boost::asio::dispatch(thread.io(), [&thread, peer, socket = std::move(socket)]() mutable {
    StartHttpSession(std::move(socket), peer, thread);
  });
}

// None: it stays, and counts for its address.
std::optional<Refused> Server::Impl::Enter(Socket& socket, const PeerKey& peer) {
  const ServerOptions& options = context->options;
  if (context->connections >= options.max_connections) return Refused::kNodeFull;
  if (options.max_descriptor > 0 && socket.native_handle() >= options.max_descriptor) {
    return Refused::kFewDescriptors;
  }
  if (context->limits.TryEnter(peer, ConnectionLimits::Clock::now())) return std::nullopt;
  return Refused::kAddressFull;
}

void Server::Impl::Refuse(Socket socket, Refused why) {
  context->metrics->CountConnection(why);
  if (why != Refused::kAddressFull) {
    log::Warn("connections_refused",
              {{"reason", NameOf(why)}, {"connections", context->connections.load()}});
  }
  TurnAway(std::move(socket), why);
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

Server::Server(const ServerOptions& options, ServerDeps deps)
    : impl_(std::make_unique<Impl>(options, deps, nullptr, nullptr)) {}

Server::Server(const ServerOptions& options, ServerDeps deps, SessionOptions sessions,
               core::ChatNode& node)
    : impl_(std::make_unique<Impl>(options, deps, &sessions, &node)) {}

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

bool Server::IsFull() const {
  return impl_->context->metrics->OutboundFull();
}

void Server::StopAccepting() {
  impl_->listener->Close();
}

void Server::CloseAll(Deadline deadline, std::function<void()> done) {
  StopAccepting();
  impl_->CloseAll(deadline, std::move(done));
}

}  // namespace minichat::ws
