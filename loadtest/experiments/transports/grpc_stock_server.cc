#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "loadtest/experiments/transports/stock_server.h"
#include "minichat/lab/v1/stock.grpc.pb.h"
#include "relay/channel_settings.h"
#include "server/base/mutex.h"

namespace minichat::transports {
namespace {

namespace v1 = minichat::lab::v1;

// Calls that are under way when the server ends; nobody waits for them then.
constexpr std::chrono::milliseconds kShutdownLimit{200};

StockQuery ToQuery(StockOp op, const v1::StockRequest& request) {
  return {op, request.item(), request.count()};
}

void Fill(const StockAnswer& answer, v1::StockReply* reply) {
  reply->set_ok(answer.ok);
  reply->set_left(answer.left);
}

std::unique_ptr<grpc::Server> Listen(grpc::ServerBuilder& builder, grpc::Service& service,
                                     int* port) {
  relay::ApplyServerSettings(builder);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), port);
  builder.RegisterService(&service);
  auto server = builder.BuildAndStart();
  if (server == nullptr || *port == 0) throw std::runtime_error("stock: can't listen");
  return server;
}

std::chrono::system_clock::time_point ShutdownEnd() {
  return std::chrono::system_clock::now() + kShutdownLimit;
}

// What a worker finds in the completion queue.
class Event {
 public:
  virtual ~Event() = default;
  virtual void Happened(bool ok) = 0;
};

using AsyncService = v1::Stock::AsyncService;
using RequestCall = void (AsyncService::*)(grpc::ServerContext*, v1::StockRequest*,
                                           grpc::ServerAsyncResponseWriter<v1::StockReply>*,
                                           grpc::CompletionQueue*, grpc::ServerCompletionQueue*,
                                           void*);

struct Method {
  StockOp op;
  RequestCall request;
};

// What all calls of a server share.
struct WorkerContext {
  explicit WorkerContext(StockService& what) : stock(what) {}

  StockService& stock;
  AsyncService service;
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  Mutex mutex;
  bool closing MINICHAT_GUARDED_BY(mutex) = false;  // nothing is asked of the queue any more
};

// One call, from being waited for to its end. The worker that takes it holds it until its answer is
// on its way.
//
// Lifetime:  deletes itself with its last event.
class WorkerCall final : public Event {
 public:
  static void Await(WorkerContext& context, Method method) {
    const MutexLock lock(context.mutex);
    if (!context.closing) new WorkerCall(context, method);
  }

  void Happened(bool ok) override {
    if (answered_ || !ok) {
      delete this;
      return;
    }
    Await(context_, method_);
    answered_ = true;
    Fill(context_.stock.Handle(ToQuery(method_.op, request_)), &reply_);
    writer_.Finish(reply_, grpc::Status::OK, this);
  }

 private:
  WorkerCall(WorkerContext& context, Method method)
      : context_(context), method_(method), writer_(&server_context_) {
    (context.service.*method.request)(&server_context_, &request_, &writer_, context.queue.get(),
                                      context.queue.get(), this);
  }

  WorkerContext& context_;
  const Method method_;
  grpc::ServerContext server_context_;
  v1::StockRequest request_;
  v1::StockReply reply_;
  grpc::ServerAsyncResponseWriter<v1::StockReply> writer_;
  bool answered_ = false;
};

// A fixed number of threads on one completion queue. gRPC's own synchronous server is no such
// thing: it starts a thread more for each call that has to wait or, when that is forbidden, refuses
// the call.
class WorkerServer final : public StockServer {
 public:
  WorkerServer(StockService& stock, std::size_t workers) : context_(stock) {
    grpc::ServerBuilder builder;
    context_.queue = builder.AddCompletionQueue();
    server_ = Listen(builder, context_.service, &port_);
    for (const Method method : {Method{StockOp::kGet, &AsyncService::RequestGet},
                                Method{StockOp::kCheck, &AsyncService::RequestCheck},
                                Method{StockOp::kUpdate, &AsyncService::RequestUpdate},
                                Method{StockOp::kTake, &AsyncService::RequestTake}}) {
      WorkerCall::Await(context_, method);
    }
    for (std::size_t i = 0; i < workers; ++i) workers_.emplace_back([this] { Work(); });
  }
  ~WorkerServer() override {
    {
      const MutexLock lock(context_.mutex);
      context_.closing = true;
    }
    server_->Shutdown(ShutdownEnd());
    context_.queue->Shutdown();
    workers_.clear();
  }

  std::uint16_t port() const override { return static_cast<std::uint16_t>(port_); }
  std::uint64_t connections() const override { return 0; }

 private:
  void Work() {
    void* tag = nullptr;
    bool ok = false;
    while (context_.queue->Next(&tag, &ok)) static_cast<Event*>(tag)->Happened(ok);
  }

  WorkerContext context_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::jthread> workers_;
};

// Answers when the store is done, and holds no thread meanwhile.
class CallbackService final : public v1::Stock::CallbackService {
 public:
  explicit CallbackService(StockService& stock) : stock_(stock) {}

  using Context = grpc::CallbackServerContext;
  grpc::ServerUnaryReactor* Get(Context* context, const v1::StockRequest* request,
                                v1::StockReply* reply) override {
    return Start(StockOp::kGet, context, *request, reply);
  }
  grpc::ServerUnaryReactor* Check(Context* context, const v1::StockRequest* request,
                                  v1::StockReply* reply) override {
    return Start(StockOp::kCheck, context, *request, reply);
  }
  grpc::ServerUnaryReactor* Update(Context* context, const v1::StockRequest* request,
                                   v1::StockReply* reply) override {
    return Start(StockOp::kUpdate, context, *request, reply);
  }
  grpc::ServerUnaryReactor* Take(Context* context, const v1::StockRequest* request,
                                 v1::StockReply* reply) override {
    return Start(StockOp::kTake, context, *request, reply);
  }

 private:
  grpc::ServerUnaryReactor* Start(StockOp op, Context* context, const v1::StockRequest& request,
                                  v1::StockReply* reply) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    stock_.Start(ToQuery(op, request), [reactor, reply](const StockAnswer& answer) {
      Fill(answer, reply);
      reactor->Finish(grpc::Status::OK);
    });
    return reactor;
  }

  StockService& stock_;
};

class CallbackServer final : public StockServer {
 public:
  explicit CallbackServer(StockService& stock) : service_(stock) {
    grpc::ServerBuilder builder;
    server_ = Listen(builder, service_, &port_);
  }
  ~CallbackServer() override { server_->Shutdown(ShutdownEnd()); }

  std::uint16_t port() const override { return static_cast<std::uint16_t>(port_); }
  std::uint64_t connections() const override { return 0; }

 private:
  CallbackService service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<StockServer> MakeGrpcStockServer(StockService& service, std::size_t workers) {
  if (workers == 0) return std::make_unique<CallbackServer>(service);
  return std::make_unique<WorkerServer>(service, workers);
}

}  // namespace minichat::transports
