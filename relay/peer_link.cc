#include "relay/peer_link.h"

#include <chrono>
#include <utility>

#include <grpcpp/impl/codegen/proto_utils.h>  // how the generic stub parses the reply

#include "relay/channel_settings.h"
#include "relay/cluster_secret.h"
#include "server/base/log.h"

namespace minichat::relay {
namespace {

constexpr char kDeliverMethod[] = "/minichat.v1.Relay/Deliver";

// Only what says that the peer or the way to it is in trouble. Any other answer, also a refusal,
// shows that it works.
Breaker::Outcome OutcomeOf(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return Breaker::Outcome::kFailure;
    case grpc::StatusCode::CANCELLED:
      return Breaker::Outcome::kAbandoned;
    default:
      return Breaker::Outcome::kSuccess;
  }
}

}  // namespace

PeerLink::PeerLink(const core::NodeEntry& peer, const GrpcRelayOptions& options,
                   Scheduler& scheduler, RelayMetrics& metrics, std::shared_ptr<EndedCalls> ended)
    : peer_(peer),
      options_(options),
      metrics_(metrics),
      peer_metrics_(metrics.For(peer.name)),
      ended_(std::move(ended)),
      channel_(MakePeerChannel(peer.relay_address)),
      stub_(channel_),
      breaker_(options.breaker, scheduler) {
  channel_->GetState(/*try_to_connect=*/true);  // not only when the first message is waiting
  ShowBreaker();
}

bool PeerLink::TryStart(std::unique_ptr<RelayCall> call, Duration budget) {
  if (in_flight_.size() >= options_.max_calls_per_peer) {
    metrics_.overflows.Increment();
    return false;
  }
  call->ticket = breaker_.Admit();
  ShowBreaker();
  if (!call->ticket.admitted()) return false;

  call->link = shared_from_this();
  call->context.AddMetadata(kClusterSecretKey, options_.cluster_secret);
  call->context.set_deadline(std::chrono::system_clock::now() + budget);
  in_flight_.insert(call.get());
  peer_metrics_.inflight.Increment();

  RelayCall* started = call.release();  // gRPC holds it until the callback takes it back
  stub_.UnaryCall(&started->context, kDeliverMethod, {}, &started->request, &started->reply,
                  [started, ended = ended_](grpc::Status status) {
                    std::unique_ptr<RelayCall> back(started);
                    back->status = std::move(status);
                    ended->Push(std::move(back));
                  });
  return true;
}

void PeerLink::OnEnded(RelayCall& call) {
  in_flight_.erase(&call);
  peer_metrics_.inflight.Decrement();
  peer_metrics_.CallEnded(call.delivery->mode, call.status.error_code());
  breaker_.Record(call.ticket, OutcomeOf(call.status));
  ShowBreaker();
  const bool unauthenticated = call.status.error_code() == grpc::StatusCode::UNAUTHENTICATED;
  if (unauthenticated && !std::exchange(told_unauthenticated_, true)) {
    log::Error("relay_unauthenticated", {{"peer", peer_.name.value()}});
  }
}

void PeerLink::Retire() {
  retired_ = true;
  peer_metrics_.breaker_state.Set(0);
}

void PeerLink::CancelAll() {
  for (RelayCall* call : in_flight_) call->context.TryCancel();
}

void PeerLink::ShowBreaker() {
  if (!retired_) peer_metrics_.breaker_state.Set(static_cast<double>(breaker_.state()));
}

}  // namespace minichat::relay
