#include "relay/control_lane.h"

#include <chrono>
#include <utility>

#include <grpcpp/impl/codegen/proto_utils.h>  // how the generic stubs write and parse messages

#include "relay/cluster_secret.h"

namespace minichat::relay {
namespace {

constexpr char kControlMethod[] = "/minichat.v1.Relay/Control";

}  // namespace

void ControlLane::Send(v1::ControlRequest request) {
  if (calls_.size() >= options_.max_controls_per_peer) return Drop();
  auto call = std::make_unique<ControlCall>();
  call->lane = shared_from_this();
  call->request = std::move(request);
  call->context.AddMetadata(kClusterSecretKey, options_.cluster_secret);
  call->context.set_deadline(std::chrono::system_clock::now() + options_.control_limit);
  calls_.insert(call.get());

  ControlCall* started = call.release();  // gRPC holds it until the callback takes it back
  stub_.UnaryCall(&started->context, kControlMethod, {}, &started->request, &started->reply,
                  [started, ended = ended_](grpc::Status status) {
                    std::unique_ptr<ControlCall> back(started);
                    back->status = std::move(status);
                    ended->Push(std::move(back));
                  });
}

void ControlLane::OnEnded(ControlCall& call) {
  calls_.erase(&call);
  (call.status.ok() ? metrics_.ok : metrics_.failed).Increment();
}

void ControlLane::CancelAll() {
  for (ControlCall* call : calls_) call->context.TryCancel();
}

}  // namespace minichat::relay
