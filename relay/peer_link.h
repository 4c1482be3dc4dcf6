#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include "minichat/v1/relay.pb.h"
#include "relay/grpc_relay.h"
#include "relay/mailbox.h"
#include "relay/relay_metrics.h"
#include "relay/relay_mode.h"
#include "server/base/breaker.h"
#include "server/core/ports/room_directory.h"

namespace minichat::relay {

class PeerLink;

// One event on its way to one node: the results that have come, and who waits for them.
struct Delivery {
  RelayMode mode;  // of its start: a switch changes nothing for what is under way
  std::vector<core::RelayResult> results;
  std::size_t open_calls = 0;
  TimePoint started;
  Callback<std::vector<core::RelayResult>> done;
};

// One RPC. gRPC's threads write status and reply, then hand it over; all else is the core thread's.
struct RelayCall {
  std::shared_ptr<Delivery> delivery;
  std::size_t first = 0;  // its recipients in the delivery
  std::size_t count = 0;
  grpc::ByteBuffer request;

  std::shared_ptr<PeerLink> link;
  Breaker::Ticket ticket;
  grpc::ClientContext context;
  v1::DeliverReply reply;
  grpc::Status status;
};

using EndedCalls = Mailbox<std::unique_ptr<RelayCall>>;

// One incarnation of another node: a channel, what is in flight on it, and its breaker.
//
// Lifetime:  lives on in its calls after the table has dropped it, so that they end normally.
// Threading: confined to the core thread.
// Limits:    options.max_calls_per_peer calls in flight; above, calls are refused at once.
class PeerLink : public std::enable_shared_from_this<PeerLink> {
 public:
  PeerLink(const core::NodeEntry& peer, const GrpcRelayOptions& options, Scheduler& scheduler,
           RelayMetrics& metrics, std::shared_ptr<EndedCalls> ended);

  bool IsTo(const core::NodeEntry& peer) const { return peer == peer_; }
  const core::NodeEntry& peer() const { return peer_; }

  // Starts it with `budget` as its deadline; it comes back through the mailbox. False: refused at
  // once, by the breaker or the bound.
  bool TryStart(std::unique_ptr<RelayCall> call, Duration budget);
  void OnEnded(RelayCall& call);
  // The table has dropped it: a newer link speaks for the peer's gauges.
  void Retire();
  void CancelAll();
  std::size_t in_flight() const { return in_flight_.size(); }

 private:
  void ShowBreaker();

  const core::NodeEntry peer_;
  const GrpcRelayOptions& options_;
  RelayMetrics& metrics_;
  PeerMetrics& peer_metrics_;
  std::shared_ptr<EndedCalls> ended_;
  std::shared_ptr<grpc::Channel> channel_;
  // Generic, because the request is put together from bytes that calls share (EncodedEvent).
  grpc::TemplatedGenericStub<grpc::ByteBuffer, v1::DeliverReply> stub_;
  Breaker breaker_;
  std::unordered_set<RelayCall*> in_flight_;
  bool retired_ = false;
  bool told_unauthenticated_ = false;  // once is enough: it doesn't heal by itself
};

}  // namespace minichat::relay
