#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>

#include <grpcpp/support/status.h>

#include "relay/call_dispatch.h"
#include "relay/control_lane.h"
#include "relay/delivery.h"
#include "relay/grpc_relay.h"
#include "relay/peer_stream.h"
#include "relay/relay_metrics.h"
#include "relay/stream_lane.h"
#include "server/base/breaker.h"
#include "server/core/ports/room_directory.h"

namespace minichat::relay {

// What all links of a relay share. Outlives them, but for the mailboxes, which calls share.
struct LinkContext {
  const GrpcRelayOptions& options;
  Scheduler& scheduler;
  RelayMetrics& metrics;
  CallDispatch& dispatch;
  std::shared_ptr<StreamNewsBox> stream_news;
  std::shared_ptr<EndedControls> ended_controls;
  PartEnded item_ended;
};

// One incarnation of another node: a channel, what is in flight on it, and its breaker.
//
// Lifetime:  lives on in its parts after the table has dropped it, so that they end normally.
// Threading: confined to the core thread.
// Limits:    options.max_calls_per_peer calls and items in flight, and max_waiting_bytes_per_peer
//            of items that wait for the stream; above, they are refused at once.
class PeerLink : public std::enable_shared_from_this<PeerLink> {
 public:
  PeerLink(const core::NodeEntry& peer, const LinkContext& context);

  bool IsTo(const core::NodeEntry& peer) const { return peer == peer_; }
  const core::NodeEntry& peer() const { return peer_; }

  // Starts it with `budget` as its deadline (kNoDeadline: none); it comes back through the mailbox.
  // False: refused at once, by the breaker or the bound.
  bool TryStart(std::unique_ptr<RelayCall> call, Duration budget);
  // The same as an item of the stream, which ends by context.item_ended. `request`: a
  // v1::DeliverRequest in wire form.
  bool TryStartItem(RelayPart part, std::string request, Duration budget);
  // What is no message. Only while the breaker is closed: probes are for events.
  void SendControl(v1::ControlRequest request);
  // For each part that was started, when it has ended.
  void OnEnded(RelayPart& part, grpc::StatusCode code);
  void OnCallEnded(RelayCall& call);

  // The table has dropped it: a newer link speaks for the peer's gauges.
  void Retire();
  void CancelAll();
  // Calls, items, and streams that gRPC still holds.
  std::size_t open() const { return in_flight() + lane_->open_streams() + controls_->open(); }

 private:
  std::size_t in_flight() const { return calls_.size() + lane_->items(); }
  bool Overflows(bool full);
  bool Admit(RelayPart& part);
  std::shared_ptr<PeerStream> OpenStream();
  void ShowBreaker();

  const core::NodeEntry peer_;
  const LinkContext& context_;
  PeerMetrics& metrics_;
  PeerChannel channel_;
  PeerStream::Stub stream_stub_;
  Breaker breaker_;
  std::unordered_set<RelayCall*> calls_;
  const std::shared_ptr<StreamLane> lane_;
  const std::shared_ptr<ControlLane> controls_;
  bool retired_ = false;
  bool told_unauthenticated_ = false;  // once is enough: it doesn't heal by itself
};

}  // namespace minichat::relay
