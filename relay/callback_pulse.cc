#include "relay/callback_pulse.h"

#include <chrono>

#include <grpcpp/client_context.h>
#include <grpcpp/impl/codegen/proto_utils.h>  // how the generic stubs write and parse messages
#include <grpcpp/support/status.h>

namespace minichat::relay {
namespace {

// Well within the second, so that one of the two threads is awake, whichever it is.
constexpr Duration kPeriod = std::chrono::milliseconds(700);

// Of a method that no server has, should it ever get there.
struct EmptyCall {
  grpc::ClientContext context;
  v1::ControlRequest request;
  v1::ControlReply reply;
};

}  // namespace

CallbackPulse::CallbackPulse(Scheduler& scheduler, const std::shared_ptr<grpc::Channel>& channel)
    : scheduler_(scheduler), stub_(channel) {
  Beat();
}

CallbackPulse::~CallbackPulse() {
  scheduler_.Cancel(timer_);
  // Else the channel could end on gRPC's thread, which would wait there for itself.
  under_way_->wait(true);
}

void CallbackPulse::Beat() {
  timer_ = scheduler_.RunAfter(kPeriod, [this] { Beat(); });
  if (under_way_->exchange(true)) return;
  auto* call = new EmptyCall;  // its callback deletes it
  call->context.set_deadline(std::chrono::system_clock::now() - std::chrono::seconds(1));
  stub_.UnaryCall(&call->context, "/minichat.v1.Relay/Pulse", {}, &call->request, &call->reply,
                  [call, under_way = under_way_](const grpc::Status&) {
                    delete call;
                    under_way->store(false);
                    under_way->notify_all();
                  });
}

}  // namespace minichat::relay
