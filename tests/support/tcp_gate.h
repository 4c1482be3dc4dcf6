#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "loadtest/client/endpoint.h"

namespace minichat::test {

// What a gate has done, so that a test can assert that its fault really took effect.
struct GateCounts {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t cut = 0;  // connections that were open and were reset
  std::uint64_t bytes_to_server = 0;
  std::uint64_t bytes_to_client = 0;
  std::uint64_t swallowed_replies = 0;  // of CutAfter()
};

// A TCP proxy on 127.0.0.1 that misbehaves on demand: between nodes, or between a node and a
// service.
//
// Lifetime:  its end resets all connections.
// Threading: thread-safe; the bytes move on a thread of its own.
// Errors:    throws when it can't listen.
// Limits:    1 MiB waits per connection and direction; above, that side is not read.
class TcpGate {
 public:
  enum class Direction { kToServer, kToClient };

  TcpGate();
  explicit TcpGate(const loadtest::Endpoint& target);
  ~TcpGate();

  loadtest::Endpoint address() const { return {"127.0.0.1", port_}; }
  // Where new connections go. Until it is known they are refused.
  void SetTarget(const loadtest::Endpoint& target);

  // New connections are reset as soon as they are made. The open ones stay.
  void Refuse(bool on = true);
  // Bytes of this direction stay where they are.
  void Stall(Direction direction, bool on = true);
  void Delay(Direction direction, std::chrono::milliseconds by);
  // Resets what is open.
  void CutAll();
  // Ends this direction of what is open, as a shutdown() would; the other one goes on.
  void HalfClose(Direction direction);
  // Refuse() and CutAll(): the wire is gone until Mend().
  void Break();
  // Takes back all of the above for what comes.
  void Mend();
  // The next `times` times that a client's bytes hold `pattern`: they are forwarded, the server's
  // reply is swallowed, and the connection is reset. The server has done what the client can't
  // know.
  void CutAfter(const std::string& pattern, int times);

  GateCounts counts() const;
  std::size_t open_connections() const;

 private:
  struct Settings {
    std::optional<loadtest::Endpoint> target;
    bool refuse = false;
    bool stall[2] = {false, false};
    std::chrono::milliseconds delay[2] = {};
    std::string cut_after;
    int cut_times = 0;
  };
  class Worker;

  std::uint16_t port_ = 0;
  std::unique_ptr<Worker> worker_;
};

}  // namespace minichat::test
