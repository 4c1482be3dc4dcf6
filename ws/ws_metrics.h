#pragma once

#include <map>

#include "server/base/metrics.h"
#include "server/core/client_error.h"
#include "ws/close_reason.h"
#include "ws/turn_away.h"

namespace minichat::ws {

// What the client edge counts. All series are there from the start, at 0.
//
// Lifetime:  made once per process; the registry outlives it. Threading: thread-safe.
class WsMetrics {
 public:
  WsMetrics(MetricsRegistry& registry, std::size_t outbound_limit);

  void CountClose(CloseReason reason) { closes_.at(reason)->Increment(); }
  // Refusals of the edge; the core counts its own under the same name.
  void CountRefusal(core::ErrorCode code) { refusals_.at(code)->Increment(); }

  Gauge& connections;     // TCP connections, HTTP and WebSocket
  Gauge& outbound_bytes;  // queued for all sessions
  Counter& outbound_overflows;
  Counter& outbound_shed;  // presence and typing that a newer one or a message pushed out
  Counter& accept_errors;

  // Does more wait to be sent, over all sessions, than the node has memory for?
  bool OutboundFull() const { return outbound_bytes.Value() >= outbound_limit_; }
  bool OutboundHalfFull() const { return outbound_bytes.Value() >= outbound_limit_ / 2; }

  void CountConnection(Refused why) { connections_.at(why)->Increment(); }

 private:
  const double outbound_limit_;
  std::map<Refused, Counter*> connections_;
  std::map<CloseReason, Counter*> closes_;
  std::map<core::ErrorCode, Counter*> refusals_;
};

}  // namespace minichat::ws
