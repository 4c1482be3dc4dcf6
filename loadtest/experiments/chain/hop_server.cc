#include "loadtest/experiments/chain/hop_server.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "loadtest/experiments/chain/order_call.h"
#include "minichat/lab/v1/chain.grpc.pb.h"
#include "relay/channel_settings.h"
#include "server/base/log.h"

namespace minichat::lab {
namespace {

constexpr Duration kMargin = std::chrono::milliseconds(50);  // as the relay's
constexpr std::size_t kMaxCalls = 4'000;                     // as the relay's
constexpr std::chrono::seconds kShutdownLimit{1};

ExecutorOptions PoolOf(const HopOptions& options) {
  ExecutorOptions pool;
  pool.name = options.name;
  pool.core_threads = options.workers;
  pool.max_threads = options.workers;
  pool.queue_tasks = options.queue_tasks;
  pool.overflow = options.overflow;
  return pool;
}

std::shared_ptr<v1::Chain::Stub> StubOf(const std::string& address) {
  if (address.empty()) return nullptr;
  const auto channel = relay::MakePeerChannel(address);
  channel->GetState(/*try_to_connect=*/true);  // not only when the first order is waiting
  return v1::Chain::NewStub(channel);
}

// A call to the next service that no thread waits for.
struct OnwardCall {
  std::unique_ptr<grpc::ClientContext> context;
  v1::OrderRequest request;
  v1::OrderReply reply;
};

// How work ends that nobody waits for any more.
grpc::Status GivenUp(const OrderCall& call) {
  if (call.budget().unlimited()) return {grpc::StatusCode::CANCELLED, "the caller is gone"};
  return {grpc::StatusCode::DEADLINE_EXCEEDED, "the caller is gone"};
}

}  // namespace

struct HopServer::Impl final : v1::Chain::CallbackService {
  explicit Impl(HopOptions opts)
      : options(std::move(opts)),
        in_hand(std::make_shared<relay::InboundBudget>(
            kMaxCalls, 0, metrics.AddGauge("minichat_queue_depth", "In hand"))),
        next(StubOf(options.next)),
        workers(PoolOf(options), metrics) {}

  grpc::ServerUnaryReactor* Order(grpc::CallbackServerContext* context,
                                  const v1::OrderRequest* request, v1::OrderReply* reply) override;
  grpc::ServerUnaryReactor* Ping(grpc::CallbackServerContext* context, const v1::PingRequest*,
                                 v1::PingReply*) override;
  grpc::ServerUnaryReactor* Journal(grpc::CallbackServerContext* context, const v1::JournalRequest*,
                                    v1::JournalReply* reply) override;

  void Handle(OrderCall& call);
  grpc::Status Work(OrderCall& call) const;
  grpc::Status PassOn(OrderCall& call) const;
  void PassOnAsync(OrderCall& call) const;
  std::unique_ptr<grpc::ClientContext> OnwardContext(OrderCall& call) const;

  const HopOptions options;
  MetricsRegistry metrics;
  HopJournal journal;
  const std::shared_ptr<relay::InboundBudget> in_hand;
  const std::shared_ptr<v1::Chain::Stub> next;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
  Executor workers;  // its threads use all of the above
};

grpc::ServerUnaryReactor* HopServer::Impl::Order(grpc::CallbackServerContext* context,
                                                 const v1::OrderRequest* request,
                                                 v1::OrderReply* reply) {
  if (!in_hand->TryTake(0)) {
    journal.OnRefused();
    grpc::ServerUnaryReactor* refused = context->DefaultReactor();
    refused->Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many calls in hand"});
    return refused;
  }
  auto* call = new OrderCall(options.name, *context, *request, reply, journal, in_hand);
  if (options.async && next) {
    PassOnAsync(*call);
  } else if (!workers.Submit([this, call] { Handle(*call); })) {
    journal.OnRefused();
    call->End({grpc::StatusCode::RESOURCE_EXHAUSTED, "no worker takes it"});
  }
  return call;
}

grpc::ServerUnaryReactor* HopServer::Impl::Ping(grpc::CallbackServerContext* context,
                                                const v1::PingRequest*, v1::PingReply*) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto answer = [reactor] { reactor->Finish(grpc::Status::OK); };
  if (options.async) {
    answer();
  } else if (!workers.Submit(answer)) {
    journal.OnRefused();
    reactor->Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "no worker takes it"});
  }
  return reactor;
}

grpc::ServerUnaryReactor* HopServer::Impl::Journal(grpc::CallbackServerContext* context,
                                                   const v1::JournalRequest*,
                                                   v1::JournalReply* reply) {
  *reply = journal.Read();
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

void HopServer::Impl::Handle(OrderCall& call) {
  call.Begin();
  call.End(next ? PassOn(call) : Work(call));
}

// Stands for work: it takes its time, and looks between slices whether it is still wanted.
grpc::Status HopServer::Impl::Work(OrderCall& call) const {
  const TimePoint end = Now() + options.work;
  for (std::uint32_t slices = 0; Now() < end; call.DidSlices(++slices)) {
    if (call.CallerGone()) return GivenUp(call);
    std::this_thread::sleep_for(std::min<Duration>(options.slice, end - Now()));
  }
  return grpc::Status::OK;
}

// Null: nothing is left of the budget.
std::unique_ptr<grpc::ClientContext> HopServer::Impl::OnwardContext(OrderCall& call) const {
  if (!options.propagate_deadline) return std::make_unique<grpc::ClientContext>();
  const auto budget = call.budget().ForNextHop(Now(), kMargin);
  if (budget == Duration::zero() || call.CallerGone()) return nullptr;
  auto context = grpc::ClientContext::FromCallbackServerContext(call.context());
  if (budget) context->set_deadline(std::chrono::system_clock::now() + *budget);
  return context;
}

grpc::Status HopServer::Impl::PassOn(OrderCall& call) const {
  const auto context = OnwardContext(call);
  if (!context) return {grpc::StatusCode::DEADLINE_EXCEEDED, "no budget for the next service"};
  v1::OrderRequest request;
  request.set_number(call.number());
  v1::OrderReply reply;
  return next->Order(context.get(), request, &reply);
}

void HopServer::Impl::PassOnAsync(OrderCall& call) const {
  call.Begin();
  auto onward = std::make_unique<OnwardCall>();
  onward->context = OnwardContext(call);
  if (!onward->context) {
    call.End({grpc::StatusCode::DEADLINE_EXCEEDED, "no budget for the next service"});
    return;
  }
  onward->request.set_number(call.number());
  OnwardCall* started = onward.release();  // gRPC holds it until the callback takes it back
  next->async()->Order(started->context.get(), &started->request, &started->reply,
                       [started, &call](grpc::Status status) {
                         std::unique_ptr<OnwardCall> back(started);
                         back.reset();  // a call may not outlive the one that it was made for
                         call.End(status);
                       });
}

HopServer::HopServer(HopOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

HopServer::~HopServer() {
  Shutdown();
}

Status HopServer::Start(const std::string& listen) {
  grpc::ServerBuilder builder;
  relay::ApplyServerSettings(builder);
  builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &impl_->port);
  builder.RegisterService(impl_.get());
  impl_->server = builder.BuildAndStart();
  if (!impl_->server || impl_->port == 0) {
    impl_->server.reset();
    return Unavailable("hop: cannot listen on " + listen);
  }
  log::Info("hop_listening", {{"hop", impl_->options.name}, {"port", impl_->port}});
  return {};
}

int HopServer::port() const {
  return impl_->port;
}

void HopServer::Shutdown() {
  if (!impl_->server) return;
  impl_->server->Shutdown(std::chrono::system_clock::now() + kShutdownLimit);
  impl_->workers.Stop();
  impl_->server.reset();
}

}  // namespace minichat::lab
