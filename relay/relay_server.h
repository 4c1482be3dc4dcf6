#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/base/status.h"
#include "server/core/ports/relay.h"

namespace minichat::relay {

// What a test or the lab does to one relay that came in. Never in production.
struct RelayFault {
  Duration delay{};               // before it is handled
  bool stall = false;             // not handled at all: its caller waits until its deadline
  bool die_before_reply = false;  // handled, then the process ends as by SIGKILL
};

struct RelayServerOptions {
  std::string listen = "127.0.0.1:0";  // "host:port"; port 0: any
  std::string cluster_secret;          // see CheckClusterSecret()
  // What may be in hand, from arrival to answer, over all callers. Above: ResourceExhausted at
  // once.
  std::size_t max_calls = 4000;
  std::size_t max_bytes = std::size_t{64} << 20;
  // A call without a deadline, or with a longer one, ends then.
  Duration longest_call = std::chrono::seconds(5);
  // For comparisons in the lab: unary calls are handled by so many threads, each held by its call
  // until it is answered. 0: no thread waits.
  std::size_t workers = 0;
  // Asked on the core thread for each call. Empty but in tests and the lab.
  std::function<RelayFault()> fault;
};

// Takes the events that other nodes relay, and answers when the receiver has had its turn.
//
// Lifetime:  Start() once, Shutdown(), then destroy. Scheduler, receiver and registry outlive it.
// Threading: confined to the core thread; gRPC's threads check, parse and post, one hop for all
//            that came in meanwhile.
// Errors:    Start() says why it can't listen. Callers get Unauthenticated, InvalidArgument,
//            ResourceExhausted, or Unavailable while it shuts down.
// Limits:    max_calls and max_bytes in hand. A call whose caller is gone is dropped unhandled.
class RelayServer {
 public:
  RelayServer(RelayServerOptions options, Scheduler& scheduler, core::RelayReceiver& receiver,
              MetricsRegistry& registry);
  ~RelayServer();  // as Shutdown() with a second

  Status Start();
  int port() const;
  // Handles what is waiting, answers Unavailable to what can't be handled any more, and stops
  // listening. Blocks, at most about `limit`. Idempotent.
  void Shutdown(Duration limit);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::relay
