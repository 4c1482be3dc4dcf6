#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/status.h>

#include "minichat/v1/relay.pb.h"
#include "relay/grpc_relay.h"
#include "relay/mailbox.h"
#include "relay/relay_metrics.h"

namespace minichat::relay {

class ControlLane;

// One call that carries no message. gRPC's threads write status and reply, then hand it over; all
// else is the core thread's.
struct ControlCall {
  std::shared_ptr<ControlLane> lane;
  v1::ControlRequest request;

  grpc::ClientContext context;
  v1::ControlReply reply;
  grpc::Status status;
};

using EndedControls = Mailbox<std::unique_ptr<ControlCall>>;

// Best-effort calls to one other node, on the channel that its events use: typing and the like.
// Nobody waits for them, nothing is tried again, and how they end says nothing to the breaker.
//
// Lifetime:  lives on in its calls. Options, metrics and channel's owner outlive those.
// Threading: confined to the core thread.
// Limits:    options.max_controls_per_peer calls in flight, each for options.control_limit; above,
//            they are dropped and counted.
class ControlLane : public std::enable_shared_from_this<ControlLane> {
 public:
  ControlLane(const std::shared_ptr<grpc::Channel>& channel, const GrpcRelayOptions& options,
              ControlMetrics& metrics, std::shared_ptr<EndedControls> ended)
      : options_(options), metrics_(metrics), ended_(std::move(ended)), stub_(channel) {}

  void Send(v1::ControlRequest request);
  // The peer is in trouble: not even tried.
  void Drop() { metrics_.dropped.Increment(); }
  void OnEnded(ControlCall& call);
  void CancelAll();
  std::size_t open() const { return calls_.size(); }

 private:
  const GrpcRelayOptions& options_;
  ControlMetrics& metrics_;
  const std::shared_ptr<EndedControls> ended_;
  grpc::TemplatedGenericStub<v1::ControlRequest, v1::ControlReply> stub_;
  std::unordered_set<ControlCall*> calls_;
};

}  // namespace minichat::relay
