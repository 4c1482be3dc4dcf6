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
  Impl(ServerOptions options, const ServerDeps& deps, std::shared_ptr<ClientContext> clients);

  void OnAccepted(Socket socket, std::size_t io_index);
  void ForEachThread(void (IoThread::*work)());
  void CloseAll(Deadline deadline, std::function<void()> when_done);
  void Done();

  Scheduler& core;
  WsMetrics metrics;
  std::shared_ptr<ServerContext> context;
  std::vector<std::unique_ptr<IoThread>> threads;
  std::shared_ptr<Listener> listener;
  std::function<void()> done;
  Scheduler::TimerId cut_timer = 0;
};

namespace {

std::shared_ptr<ClientContext> MakeClients(SessionOptions sessions, const ServerDeps& deps,
                                           core::ChatNode& node, WsMetrics& metrics) {
  return std::make_shared<ClientContext>(
      ClientContext{std::move(sessions), deps.core, node, metrics, Outbox(deps.core, deps.io)});
}

}  // namespace
