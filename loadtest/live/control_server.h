#pragma once

#include <memory>

#include "loadtest/client/endpoint.h"
#include "server/base/http_routes.h"

namespace minichat::loadtest {

// An HTTP listener with a thread of its own.
//
// Lifetime:  the routes outlive it; its end closes all connections.
// Threading: confined to one thread, but for the routes, which run on the listener's.
class ControlServer {
 public:
  // Errors: kUnavailable when the address can't be had; kInvalidArgument when it is not 127.x.x.x.
  static Result<std::unique_ptr<ControlServer>> Start(const Endpoint& address, HttpRoutes& routes);
  ~ControlServer();

  // With the port that was bound.
  Endpoint address() const;

 private:
  struct Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::loadtest
