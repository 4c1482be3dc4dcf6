#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "relay/relay_mode.h"
#include "server/base/breaker.h"
#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/core/ports/relay.h"

namespace minichat {
class FedExecutor;
}

namespace minichat::relay {

// A budget that never ends.
inline constexpr Duration kNoDeadline = Duration::max();

// How long a call may take.
enum class CallDeadline {
  kPropagate,  // what its message has left, less the margin; at most longest_call
  kFixed,      // fixed_deadline
  kNone,       // for ever
};

// What the lab compares with what a node does. The defaults are the latter.
struct RelayLabOptions {
  FedExecutor* pool = nullptr;  // each call is a task of it, which blocks; outlives the relay
  CallDeadline deadline = CallDeadline::kPropagate;
  Duration fixed_deadline = std::chrono::seconds(30);
  bool can_stream = true;  // false: mode stream is not taken, also not from the cluster
};

struct GrpcRelayOptions {
  std::string cluster_secret;         // see CheckClusterSecret()
  RelayMode mode = RelayMode::kBulk;  // the node's own setting
  Duration longest_call = std::chrono::milliseconds(500);
  // Kept back from the caller's budget for what it does with the answer.
  Duration margin = std::chrono::milliseconds(50);
  std::size_t max_calls_per_peer = 1000;                           // and items of a stream
  std::size_t max_waiting_bytes_per_peer = std::size_t{16} << 20;  // of items, not yet written
  // What is no message (SendTyping); above, it is dropped.
  std::size_t max_controls_per_peer = 64;
  Duration control_limit = std::chrono::milliseconds(200);
  std::size_t max_recipients_per_call = 512;              // at most kMaxRecipientsPerCall
  std::size_t max_bytes_per_call = std::size_t{1} << 20;  // a single recipient may exceed it
  BreakerOptions breaker;
  RelayLabOptions lab;
};

// core::Relay over gRPC, one channel per live node: unary calls, or items of one stream.
//
// Lifetime:  the scheduler and the registry outlive it. After Stop() no callback runs any more.
// Threading: confined to the core thread. gRPC's threads parse replies and post them, one hop for
//            all that ended meanwhile.
// Errors:    as core::Relay: per recipient. A call that failed may have been executed.
// Limits:    max_calls_per_peer, max_waiting_bytes_per_peer; each call and item ends within
//            longest_call. What is no message: max_controls_per_peer, control_limit.
class GrpcRelay final : public core::Relay {
 public:
  GrpcRelay(GrpcRelayOptions options, Scheduler& scheduler, MetricsRegistry& registry);
  ~GrpcRelay() override;  // as Stop() with a second

  void SetPeers(std::vector<core::NodeEntry> peers) override;
  void Deliver(const core::NodeName& node, const core::Incarnation& incarnation,
               core::EventPtr event, std::vector<core::SessionId> recipients, Deadline deadline,
               Callback<std::vector<core::RelayResult>> done) override;
  void SendTyping(const core::NodeName& node, const core::Incarnation& incarnation,
                  const core::Typing& typing) override;
  void OnClusterMode(const core::RelayModeSetting& setting) override;

  // The node's own setting; counts while the cluster has none.
  void SetConfiguredMode(RelayMode mode);
  RelayMode mode() const;
  // As it was set for the whole cluster; empty: it was not.
  const std::string& cluster_mode() const;

  // Cancels what is in flight and waits for it, at most `limit`. Idempotent.
  void Stop(Duration limit);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace minichat::relay
