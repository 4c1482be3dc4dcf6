#include "relay/peer_link.h"

#include <chrono>
#include <utility>

#include "relay/channel_settings.h"
#include "relay/cluster_secret.h"
#include "relay/stream_codec.h"
#include "server/base/log.h"

namespace minichat::relay {
namespace {

// Only what says that the peer or the way to it is in trouble. Any other answer, also a refusal,
// shows that it works.
Breaker::Outcome OutcomeOf(grpc::StatusCode code) {
  switch (code) {
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

// For gRPC the last time point there is means that there is no deadline.
std::chrono::system_clock::time_point WallEnd(Duration budget) {
  using std::chrono::system_clock;
  if (budget == kNoDeadline) return system_clock::time_point::max();
  return system_clock::now() + std::chrono::duration_cast<system_clock::duration>(budget);
}

}  // namespace

PeerLink::PeerLink(const core::NodeEntry& peer, const LinkContext& context)
    : peer_(peer),
      context_(context),
      metrics_(context.metrics.For(peer.name)),
      channel_(MakePeerChannel(peer.relay_address)),
      stream_stub_(channel_.channel),
      breaker_(context.options.breaker, context.scheduler),
      lane_(std::make_shared<StreamLane>(
          context.scheduler, context.options.max_waiting_bytes_per_peer,
          [this] { return OpenStream(); }, context.item_ended)),
      controls_(std::make_shared<ControlLane>(channel_.channel, context.options,
                                              context.metrics.controls, context.ended_controls)) {
  channel_.channel->GetState(
      /*try_to_connect=*/true);  // not only when the first message is waiting
  ShowBreaker();
}

bool PeerLink::TryStart(std::unique_ptr<RelayCall> call, Duration budget) {
  if (Overflows(in_flight() >= context_.options.max_calls_per_peer)) return false;
  if (!Admit(call->part)) return false;

  call->context.AddMetadata(kClusterSecretKey, context_.options.cluster_secret);
  call->context.set_deadline(WallEnd(budget));
  calls_.insert(call.get());
  context_.dispatch.Start(channel_, std::move(call));
  return true;
}

bool PeerLink::TryStartItem(RelayPart part, std::string request, Duration budget) {
  if (request.size() > kMaxItemBytes) {  // gRPC would end the stream, with all that is on it
    log::Error("relay_item_too_large", {{"bytes", request.size()}, {"most", kMaxItemBytes}});
    metrics_.CallEnded(RelayMode::kStream, grpc::StatusCode::RESOURCE_EXHAUSTED);
    return false;
  }
  if (Overflows(in_flight() >= context_.options.max_calls_per_peer ||
                !lane_->HasRoomFor(request.size()))) {
    return false;
  }
  if (lane_->backing_off() || !Admit(part)) return false;
  lane_->Start(std::move(part), std::move(request), context_.scheduler.Now() + budget);
  return true;
}

void PeerLink::SendControl(v1::ControlRequest request) {
  if (breaker_.state() != Breaker::State::kClosed) return controls_->Drop();
  controls_->Send(std::move(request));
}

bool PeerLink::Overflows(bool full) {
  if (full) context_.metrics.overflows.Increment();
  return full;
}

bool PeerLink::Admit(RelayPart& part) {
  part.ticket = breaker_.Admit();
  ShowBreaker();
  if (!part.ticket.admitted()) return false;
  part.link = shared_from_this();
  metrics_.inflight.Increment();
  return true;
}

void PeerLink::OnCallEnded(RelayCall& call) {
  calls_.erase(&call);
  OnEnded(call.part, call.status.error_code());
}

void PeerLink::OnEnded(RelayPart& part, grpc::StatusCode code) {
  metrics_.inflight.Decrement();
  metrics_.CallEnded(part.delivery->mode, code);
  breaker_.Record(part.ticket, OutcomeOf(code));
  ShowBreaker();
  // A stream to a peer that hangs stays open for ever; what is tried next needs another one.
  const bool hangs = code == grpc::StatusCode::DEADLINE_EXCEEDED;
  if (hangs && breaker_.state() == Breaker::State::kOpen) lane_->Break();
  const bool unauthenticated = code == grpc::StatusCode::UNAUTHENTICATED;
  if (unauthenticated && !std::exchange(told_unauthenticated_, true)) {
    log::Error("relay_unauthenticated", {{"peer", peer_.name.value()}});
  }
}

std::shared_ptr<PeerStream> PeerLink::OpenStream() {
  auto stream = std::make_shared<PeerStream>(context_.scheduler, metrics_.stream_writes, lane_,
                                             context_.stream_news);
  stream->Open(stream_stub_, context_.options.cluster_secret);
  metrics_.stream_opens.Increment();
  return stream;
}

void PeerLink::Retire() {
  retired_ = true;
  metrics_.breaker_state.Set(0);
}

void PeerLink::CancelAll() {
  for (RelayCall* call : calls_) call->context.TryCancel();
  lane_->Close();
  controls_->CancelAll();
}

void PeerLink::ShowBreaker() {
  if (!retired_) metrics_.breaker_state.Set(static_cast<double>(breaker_.state()));
}

}  // namespace minichat::relay
