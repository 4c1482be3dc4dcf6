#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "server/base/deadline.h"
#include "server/base/http_routes.h"
#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/base/status.h"
#include "ws/options.h"

namespace boost::asio {
class io_context;
}

namespace minichat::core {
class Authenticator;
class ChatNode;
}  // namespace minichat::core

namespace minichat::ws {

// What a server needs and does not own.
struct ServerDeps {
  Scheduler& core;  // runs on io[0]
  std::vector<boost::asio::io_context*> io;
  HttpRoutes& routes;
  MetricsRegistry& metrics;
  const core::Authenticator* authenticator = nullptr;  // may be null with insecure auth
};

// A listener with its connections: HTTP by the routes, and the chat protocol on /ws when it was
// made with a node. Connections are spread over the I/O threads; the node lives on the first.
//
// Lifetime:  Start(); at the end StopAccepting(), CloseAll(), and destruction after the I/O threads
//            have ended and before the io_contexts, the node and the registry do.
// Threading: confined to the core's scheduler, but for the constructor and port(); Start() also
//            before the threads run.
class Server {
 public:
  // HTTP alone.
  Server(const ServerOptions& options, ServerDeps deps);
  // HTTP and the chat protocol.
  Server(const ServerOptions& options, ServerDeps deps, SessionOptions sessions,
         core::ChatNode& node);
  ~Server();

  // Binds and accepts. Fails when the address can't be had.
  Status Start();
  // What was bound; 0 before Start().
  std::uint16_t port() const;
  std::size_t connection_count() const;
  // More waits to be sent to clients than OutboundLimits::node_bytes. From any thread.
  bool IsFull() const;

  void StopAccepting();
  // Tells the clients bye and closes them with 1012; cuts what is left at the deadline. Then calls
  // `done`. Implies StopAccepting().
  void CloseAll(Deadline deadline, std::function<void()> done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::ws
