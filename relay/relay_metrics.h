#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "relay/relay_mode.h"
#include "server/base/metrics.h"
#include "server/core/ports/relay.h"

namespace minichat::relay {

// What relaying to one peer counts.
//
// Threading: CallEnded() confined to the core thread; the rest thread-safe.
class PeerMetrics {
 public:
  PeerMetrics(MetricsRegistry& registry, std::string peer);

  // A unary call, or an item of a stream. `code` is gRPC's number.
  void CallEnded(RelayMode mode, int code);

  Gauge& inflight;
  Gauge& breaker_state;
  Counter& stream_opens;
  Counter& stream_writes;  // fewer than items: what was pending went in one

 private:
  static constexpr std::size_t kCodes = 17;

  MetricsRegistry& registry_;
  const std::string peer_;
  Counter& Calls(RelayMode mode, std::size_t code);

  // The usual ones from the start, at 0; the others when first needed.
  std::array<std::array<Counter*, kCodes>, kRelayModes.size()> calls_{};
};

// How calls that carry no message end.
//
// Threading: thread-safe.
struct ControlMetrics {
  explicit ControlMetrics(MetricsRegistry& registry);

  Counter& ok;
  Counter& failed;
  Counter& dropped;  // by the breaker or the bound
};

// What relaying as a whole counts, on the sending side.
//
// Threading: For() and Recipient() confined to the core thread; the rest thread-safe.
class RelayMetrics {
 public:
  explicit RelayMetrics(MetricsRegistry& registry);

  // A peer that comes back goes on with its numbers.
  PeerMetrics& For(const core::NodeName& peer);
  Counter& Recipient(RelayMode mode, core::RelayResult result);
  void SetMode(RelayMode mode);

  Counter& overflows;
  Histogram& stage_relay;
  ControlMetrics controls;

 private:
  static constexpr std::size_t kResults = 4;

  MetricsRegistry& registry_;
  std::map<core::NodeName, PeerMetrics> peers_;
  std::array<std::array<Counter*, kResults>, kRelayModes.size()> recipients_{};
  std::array<Gauge*, kRelayModes.size()> modes_{};
};

// What the receiving side counts.
//
// Threading: thread-safe.
struct InboundMetrics {
  explicit InboundMetrics(MetricsRegistry& registry);

  Gauge& depth;
  Counter& overflows;
  Counter& handled;
  Counter& controls;  // what is no message
  Counter& wrong_secret;
  Counter& malformed;
  Counter& late;  // the caller was gone before its turn
  Counter& abandoned;
};

// "OK", "UNAVAILABLE", …
std::string_view GrpcCodeName(int code);

}  // namespace minichat::relay
