#include "relay/relay_metrics.h"

#include <utility>

namespace minichat::relay {
namespace {

constexpr std::array<std::string_view, 17> kCodeNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

// In the order of core::RelayResult.
constexpr std::array kResultNames = {"queued", "not_here", "queue_full", "failed"};

// How calls usually end: OK, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE.
constexpr std::array<std::size_t, 4> kUsualCodes = {0, 4, 8, 14};

std::size_t Index(RelayMode mode) {
  return static_cast<std::size_t>(mode);
}

Counter& Overflows(MetricsRegistry& registry, const char* queue) {
  return registry.AddCounter("minichat_queue_overflows_total", "Entries refused by a full queue",
                             {{"queue", queue}});
}

Counter& InboundEnd(MetricsRegistry& registry, const char* outcome) {
  return registry.AddCounter("minichat_relay_inbound_total", "Calls from other nodes by their end",
                             {{"outcome", outcome}});
}

Counter& Controls(MetricsRegistry& registry, const char* outcome) {
  return registry.AddCounter("minichat_control_calls_total",
                             "Calls to other nodes that carry no message", {{"outcome", outcome}});
}

}  // namespace

ControlMetrics::ControlMetrics(MetricsRegistry& registry)
    : ok(Controls(registry, "ok")),
      failed(Controls(registry, "failed")),
      dropped(Controls(registry, "dropped")) {}

std::string_view GrpcCodeName(int code) {
  const bool known = code >= 0 && static_cast<std::size_t>(code) < kCodeNames.size();
  return kCodeNames[known ? static_cast<std::size_t>(code) : 2];
}

PeerMetrics::PeerMetrics(MetricsRegistry& registry, std::string peer)
    : inflight(registry.AddGauge("minichat_relay_inflight", "Calls and items under way",
                                 {{"peer", peer}})),
      breaker_state(registry.AddGauge("minichat_breaker_state",
                                      "0 closed, 1 half-open (probing), 2 open", {{"peer", peer}})),
      stream_opens(registry.AddCounter("minichat_relay_stream_opens_total",
                                       "Streams made to other nodes", {{"peer", peer}})),
      stream_writes(registry.AddCounter("minichat_relay_stream_writes_total",
                                        "Batches of items written to streams", {{"peer", peer}})),
      registry_(registry),
      peer_(std::move(peer)) {
  for (const RelayMode mode : kRelayModes) {
    for (const std::size_t code : kUsualCodes) Calls(mode, code);
  }
}

void PeerMetrics::CallEnded(RelayMode mode, int code) {
  const std::size_t row =
      code >= 0 && code < static_cast<int>(kCodes) ? static_cast<std::size_t>(code) : 2;
  Calls(mode, row).Increment();
}

Counter& PeerMetrics::Calls(RelayMode mode, std::size_t code) {
  Counter*& counter = calls_[Index(mode)][code];
  if (counter == nullptr) {
    counter = &registry_.AddCounter("minichat_relay_calls_total",
                                    "Calls to other nodes; in mode stream: items",
                                    {{"mode", std::string(ToString(mode))},
                                     {"peer", peer_},
                                     {"code", std::string(kCodeNames[code])}});
  }
  return *counter;
}

RelayMetrics::RelayMetrics(MetricsRegistry& registry)
    : overflows(Overflows(registry, "relay")),
      stage_relay(registry.AddLatency(
          "minichat_stage_seconds", "Time in one stage of a message's life", {{"stage", "relay"}})),
      controls(registry),
      registry_(registry) {
  for (const RelayMode mode : kRelayModes) {
    const std::string name(ToString(mode));
    modes_[Index(mode)] =
        &registry.AddGauge("minichat_relay_mode", "1: the mode in force", {{"mode", name}});
    for (std::size_t i = 0; i < kResults; ++i) {
      recipients_[Index(mode)][i] = &registry.AddCounter(
          "minichat_relay_recipients_total", "Recipients relayed to, by result",
          {{"mode", name}, {"result", kResultNames[i]}});
    }
  }
}

PeerMetrics& RelayMetrics::For(const core::NodeName& peer) {
  return peers_.try_emplace(peer, registry_, peer.value()).first->second;
}

Counter& RelayMetrics::Recipient(RelayMode mode, core::RelayResult result) {
  return *recipients_[Index(mode)][static_cast<std::size_t>(result)];
}

void RelayMetrics::SetMode(RelayMode mode) {
  for (const RelayMode each : kRelayModes) modes_[Index(each)]->Set(each == mode ? 1 : 0);
}

InboundMetrics::InboundMetrics(MetricsRegistry& registry)
    : depth(registry.AddGauge("minichat_queue_depth", "Entries in a bounded queue",
                              {{"queue", "relay_inbound"}})),
      overflows(Overflows(registry, "relay_inbound")),
      handled(InboundEnd(registry, "handled")),
      controls(InboundEnd(registry, "control")),
      wrong_secret(InboundEnd(registry, "wrong_secret")),
      malformed(InboundEnd(registry, "malformed")),
      late(InboundEnd(registry, "late")),
      abandoned(InboundEnd(registry, "abandoned")) {}

}  // namespace minichat::relay
