#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "server/base/http_routes.h"
#include "server/base/metrics.h"
#include "server/core/node_options.h"
#include "server/core/ports/authenticator.h"
#include "ws/options.h"

namespace minichat::test {

// A whole node in memory behind a ws::Server on a free port, on threads of its own.
//
// Threading: thread-compatible; made, used and destroyed by the test's thread.
class MemoryNode {
 public:
  struct Options {
    ws::ServerOptions server;
    ws::SessionOptions sessions;
    core::NodeOptions node;
    std::size_t io_threads = 1;
    const core::Authenticator* authenticator = nullptr;  // outlives the node
    Options();
  };

  explicit MemoryNode(Options options = {});
  ~MemoryNode();

  std::uint16_t port() const;       // HTTP and WebSocket
  std::uint16_t http_port() const;  // HTTP alone
  // Value of a series as /metrics writes it, e.g. `minichat_closes_total{reason="silent"}`.
  double Metric(const std::string& series);
  // Waits until the series has the value; false after 10 s.
  bool WaitForMetric(const std::string& series, double value);
  // As an operator does.
  void Kick(const std::string& user);
  // Starts CloseAll(); Wait for it with WaitUntilClosed().
  void StartClosing(std::chrono::milliseconds deadline);
  bool WaitUntilClosed();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::test
