#include "relay/relay_server.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "minichat/v1/relay.grpc.pb.h"
#include "relay/callback_pulse.h"
#include "relay/channel_settings.h"
#include "relay/cluster_secret.h"
#include "relay/inbound_call.h"
#include "relay/inbound_stream.h"
#include "relay/inbound_workers.h"
#include "server/base/log.h"

namespace minichat::relay {
namespace {

// What one that waits for the core thread counts for in the bound: two ids and an incarnation.
constexpr std::size_t kControlBytes = 512;

bool HasSecret(const grpc::CallbackServerContext& context, const std::string& secret) {
  const auto& metadata = context.client_metadata();
  const auto it = metadata.find(kClusterSecretKey);
  return it != metadata.end() && SameSecret(secret, {it->second.data(), it->second.size()});
}

grpc::ServerUnaryReactor* Refused(grpc::CallbackServerContext& context, grpc::StatusCode code,
                                  const char* why) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(grpc::Status(code, why));
  return reactor;
}

// Ends a stream before its first batch.
class RefusedStream final : public grpc::ServerBidiReactor<v1::StreamBatch, v1::StreamReply> {
 public:
  RefusedStream(grpc::StatusCode code, const char* why) { Finish(grpc::Status(code, why)); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace

struct RelayServer::Impl final : v1::Relay::CallbackService {
  using Calls = std::vector<InboundCall*>;

  Impl(RelayServerOptions opts, Scheduler& sched, core::RelayReceiver& recv,
       MetricsRegistry& registry)
      : options(std::move(opts)),
        scheduler(sched),
        receiver(recv),
        metrics(registry),
        intake(new Intake{
            scheduler,
            metrics,
            options.longest_call,
            std::make_shared<InboundBudget>(options.max_calls, options.max_bytes, metrics.depth),
            std::make_shared<Mailbox<InboundCall*>>(scheduler,
                                                    [this](Calls calls) { OnArrived(calls); }),
            {}}),
        controls(std::make_shared<Mailbox<InboundControl>>(
            scheduler, [this](const auto& arrived) { OnControls(arrived); })),
        workers(options.workers == 0
                    ? nullptr
                    : std::make_unique<InboundWorkers>(options.workers, options.max_calls,
                                                       intake->arrived, registry)) {}

  // gRPC's threads.
  grpc::ServerUnaryReactor* Deliver(grpc::CallbackServerContext* context,
                                    const v1::DeliverRequest* request,
                                    v1::DeliverReply* reply) override;
  grpc::ServerBidiReactor<v1::StreamBatch, v1::StreamReply>* DeliverStream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Control(grpc::CallbackServerContext* context,
                                    const v1::ControlRequest* request,
                                    v1::ControlReply* reply) override;
  Deadline DeadlineOf(const grpc::CallbackServerContext& context) const;

  // The core thread.
  void OnArrived(const Calls& calls);
  void OnControls(const std::vector<InboundControl>& controls);
  void Handle(InboundCall* call, const RelayFault& fault);
  void Hold(InboundCall* call, const RelayFault& fault);
  void DropLate(InboundCall* call);
  void Shutdown(Duration limit);

  const RelayServerOptions options;
  Scheduler& scheduler;
  core::RelayReceiver& receiver;
  InboundMetrics metrics;
  const std::shared_ptr<Intake> intake;
  const std::shared_ptr<Mailbox<InboundControl>> controls;
  const std::unique_ptr<InboundWorkers> workers;    // null: no thread waits
  std::map<InboundCall*, Scheduler::TimerId> held;  // by a fault
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<CallbackPulse> pulse;
  int port = 0;
};

grpc::ServerUnaryReactor* RelayServer::Impl::Deliver(grpc::CallbackServerContext* context,
                                                     const v1::DeliverRequest* request,
                                                     v1::DeliverReply* reply) {
  if (!HasSecret(*context, options.cluster_secret)) {
    metrics.wrong_secret.Increment();
    return Refused(*context, grpc::StatusCode::UNAUTHENTICATED, "cluster secret");
  }
  const std::size_t bytes = request->ByteSizeLong();
  if (!intake->budget->TryTake(bytes)) {
    metrics.overflows.Increment();
    return Refused(*context, grpc::StatusCode::RESOURCE_EXHAUSTED, "too many relays in hand");
  }
  // gRPC's own request is not ours to take from.
  Result<InboundRelay> relay = DecodeRequest(v1::DeliverRequest(*request));
  if (!relay.ok()) {
    intake->budget->GiveBack(bytes);
    metrics.malformed.Increment();
    return Refused(*context, grpc::StatusCode::INVALID_ARGUMENT, relay.status().message().c_str());
  }
  const Deadline deadline = DeadlineOf(*context);
  if (workers) {
    return workers->Take(std::move(relay).value(), deadline, bytes, reply, intake->budget);
  }
  auto* call = new UnaryCall(std::move(relay).value(), deadline, bytes, reply, intake->budget);
  if (!intake->arrived->Push(call)) call->Refuse(grpc::StatusCode::UNAVAILABLE, "shutting down");
  return call;  // gRPC binds it now; what the core thread did to it meanwhile waits for that
}

grpc::ServerBidiReactor<v1::StreamBatch, v1::StreamReply>* RelayServer::Impl::DeliverStream(
    grpc::CallbackServerContext* context) {
  if (!HasSecret(*context, options.cluster_secret)) {
    metrics.wrong_secret.Increment();
    return new RefusedStream(grpc::StatusCode::UNAUTHENTICATED, "cluster secret");
  }
  const auto stream = std::make_shared<InboundStream>(intake);
  stream->Begin();
  return stream.get();  // it holds itself
}

// Answered before it is handled: nobody waits for what it comes to.
grpc::ServerUnaryReactor* RelayServer::Impl::Control(grpc::CallbackServerContext* context,
                                                     const v1::ControlRequest* request,
                                                     v1::ControlReply*) {
  if (!HasSecret(*context, options.cluster_secret)) {
    metrics.wrong_secret.Increment();
    return Refused(*context, grpc::StatusCode::UNAUTHENTICATED, "cluster secret");
  }
  Result<InboundControl> control = DecodeControl(*request);
  if (!control.ok()) {
    metrics.malformed.Increment();
    return Refused(*context, grpc::StatusCode::INVALID_ARGUMENT,
                   control.status().message().c_str());
  }
  if (!intake->budget->TryTake(kControlBytes)) {
    metrics.overflows.Increment();
    return Refused(*context, grpc::StatusCode::RESOURCE_EXHAUSTED, "too many relays in hand");
  }
  if (!controls->Push(std::move(control).value())) {
    intake->budget->GiveBack(kControlBytes);
    return Refused(*context, grpc::StatusCode::UNAVAILABLE, "shutting down");
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

void RelayServer::Impl::OnControls(const std::vector<InboundControl>& arrived) {
  for (const InboundControl& control : arrived) {
    intake->budget->GiveBack(kControlBytes);
    metrics.controls.Increment();
    receiver.OnTyping(control.target, control.typing);
  }
}

Deadline RelayServer::Impl::DeadlineOf(const grpc::CallbackServerContext& context) const {
  // Compared before it is subtracted: "no deadline" is the largest time point there is.
  const auto now = std::chrono::system_clock::now();
  const auto longest =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(options.longest_call);
  const auto end = std::min(context.deadline(), now + longest);
  return Deadline::After(scheduler, end - now);
}

void RelayServer::Impl::OnArrived(const Calls& calls) {
  for (InboundCall* call : calls) {
    const RelayFault fault = options.fault ? options.fault() : RelayFault{};
    if (fault.stall || fault.delay > Duration::zero()) {
      Hold(call, fault);
    } else {
      Handle(call, fault);
    }
  }
}

void RelayServer::Impl::Handle(InboundCall* call, const RelayFault& fault) {
  if (call->CallerGone(scheduler.Now())) return DropLate(call);
  const InboundRelay& relay = call->relay();
  const auto results = receiver.OnRelayed(relay.target, relay.event, relay.recipients);
  if (fault.die_before_reply) std::raise(SIGKILL);
  metrics.handled.Increment();
  call->Answer(results);
}

void RelayServer::Impl::Hold(InboundCall* call, const RelayFault& fault) {
  const Duration left = call->deadline().Remaining(scheduler.Now());
  const Duration delay = fault.stall ? left : std::min(fault.delay, left);
  held[call] = scheduler.RunAfter(delay, [this, call, fault] {
    held.erase(call);
    fault.stall ? DropLate(call) : Handle(call, fault);
  });
}

void RelayServer::Impl::DropLate(InboundCall* call) {
  metrics.late.Increment();
  call->Refuse(grpc::StatusCode::DEADLINE_EXCEEDED, "the caller is gone");
}

void RelayServer::Impl::Shutdown(Duration limit) {
  if (!server) return;
  intake->arrived->HandlePending();
  const Calls rest = intake->arrived->Close();
  controls->Close();
  for (InboundCall* call : rest) call->Refuse(grpc::StatusCode::UNAVAILABLE, "shutting down");
  for (const auto& [call, timer] : std::exchange(held, {})) {
    scheduler.Cancel(timer);
    metrics.abandoned.Increment();
    call->Refuse(grpc::StatusCode::UNAVAILABLE, "shutting down");
  }
  if (workers) workers->Stop();
  intake->streams.CloseAll();  // they would never end by themselves
  pulse.reset();
  // Every call has its answer now; what can still take time is a peer that doesn't read it.
  server->Shutdown(std::chrono::system_clock::now() +
                   std::chrono::duration_cast<std::chrono::system_clock::duration>(limit));
  server.reset();
}

RelayServer::RelayServer(RelayServerOptions options, Scheduler& scheduler,
                         core::RelayReceiver& receiver, MetricsRegistry& registry)
    : impl_(std::make_unique<Impl>(std::move(options), scheduler, receiver, registry)) {}

RelayServer::~RelayServer() {
  Shutdown(std::chrono::seconds(1));
}

Status RelayServer::Start() {
  if (Status status = CheckClusterSecret(impl_->options.cluster_secret); !status.ok()) {
    return status;
  }
  grpc::ServerBuilder builder;
  ApplyServerSettings(builder);
  builder.AddListeningPort(impl_->options.listen, grpc::InsecureServerCredentials(), &impl_->port);
  builder.RegisterService(impl_.get());
  impl_->server = builder.BuildAndStart();
  if (!impl_->server || impl_->port == 0) {
    impl_->server.reset();
    return Unavailable("relay.listen: cannot listen on " + impl_->options.listen);
  }
  impl_->pulse =
      std::make_unique<CallbackPulse>(impl_->scheduler, impl_->server->InProcessChannel({}));
  log::Info("relay_listening", {{"address", impl_->options.listen}, {"port", impl_->port}});
  return {};
}

int RelayServer::port() const {
  return impl_->port;
}

void RelayServer::Shutdown(Duration limit) {
  impl_->Shutdown(limit);
}

}  // namespace minichat::relay
