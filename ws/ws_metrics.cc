#include "ws/ws_metrics.h"

namespace minichat::ws {

WsMetrics::WsMetrics(MetricsRegistry& r, std::size_t outbound_limit)
    : connections(r.AddGauge("minichat_connections", "Open client and admin connections")),
      outbound_bytes(
          r.AddGauge("minichat_outbound_queue_bytes", "Bytes queued for all sessions together")),
      outbound_overflows(r.AddCounter("minichat_queue_overflows_total",
                                      "What was refused at a full queue", {{"queue", "outbound"}})),
      outbound_shed(r.AddCounter("minichat_queue_overflows_total",
                                 "What was refused at a full queue",
                                 {{"queue", "outbound_latest"}})),
      accept_errors(r.AddCounter("minichat_accept_errors_total", "Accepts that failed")),
      outbound_limit_(static_cast<double>(outbound_limit)) {
  r.AddGauge("minichat_outbound_queue_limit_bytes",
             "Bytes that may be queued for all sessions together")
      .Set(outbound_limit_);
  for (const Refused why : {Refused::kNodeFull, Refused::kFewDescriptors, Refused::kAddressFull}) {
    connections_[why] = &r.AddCounter("minichat_connections_refused_total",
                                      "Connections closed at once", {{"reason", NameOf(why)}});
  }
  for (const CloseReasonInfo& info : CloseReasons()) {
    closes_[info.reason] = &r.AddCounter("minichat_closes_total", "Ended WebSocket connections",
                                         {{"reason", std::string(info.name)}});
  }
  for (const core::ErrorCodeInfo& info : core::ErrorCodes()) {
    refusals_[info.code] = &r.AddCounter("minichat_refusals_total", "Requests refused",
                                         {{"reason", std::string(info.name)}});
  }
}

}  // namespace minichat::ws
