#include <string>
#include <utility>

#include <grpcpp/client_context.h>

#include "loadtest/experiments/transports/stock_client.h"
#include "minichat/lab/v1/stock.grpc.pb.h"
#include "relay/channel_settings.h"

namespace minichat::transports {
namespace {

namespace v1 = minichat::lab::v1;

// Far above what a call takes: only a broken service lets it pass.
constexpr std::chrono::seconds kCallLimit{10};

std::unique_ptr<v1::Stock::Stub> MakeStub(std::uint16_t port) {
  return v1::Stock::NewStub(relay::MakePeerChannel("127.0.0.1:" + std::to_string(port)));
}

v1::StockRequest ToRequest(const StockQuery& query) {
  v1::StockRequest request;
  request.set_item(query.item);
  request.set_count(query.count);
  return request;
}

Result<StockAnswer> ToAnswer(const grpc::Status& status, const v1::StockReply& reply) {
  if (!status.ok()) {
    return Status(static_cast<StatusCode>(status.error_code()), "grpc: " + status.error_message());
  }
  return StockAnswer{reply.ok(), reply.left()};
}

class GrpcStock final : public BlockingStock {
 public:
  explicit GrpcStock(std::uint16_t port) : stub_(MakeStub(port)) {}

  Result<StockAnswer> Call(const StockQuery& query) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallLimit);
    v1::StockReply reply;
    return ToAnswer(Send(query.op, &context, ToRequest(query), &reply), reply);
  }

 private:
  grpc::Status Send(StockOp op, grpc::ClientContext* context, const v1::StockRequest& request,
                    v1::StockReply* reply) {
    switch (op) {
      case StockOp::kGet:
        return stub_->Get(context, request, reply);
      case StockOp::kCheck:
        return stub_->Check(context, request, reply);
      case StockOp::kUpdate:
        return stub_->Update(context, request, reply);
      case StockOp::kTake:
        return stub_->Take(context, request, reply);
    }
    return {grpc::StatusCode::INVALID_ARGUMENT, "no such operation"};
  }

  std::unique_ptr<v1::Stock::Stub> stub_;
};

// A call's memory until it has ended.
struct PendingCall {
  grpc::ClientContext context;
  v1::StockRequest request;
  v1::StockReply reply;
  Callback<Result<StockAnswer>> done;
};

class AsyncGrpcStock final : public AsyncStock {
 public:
  explicit AsyncGrpcStock(std::uint16_t port) : stub_(MakeStub(port)) {}

  void Start(const StockQuery& query, Callback<Result<StockAnswer>> done) override {
    auto call = std::make_shared<PendingCall>();
    call->context.set_deadline(std::chrono::system_clock::now() + kCallLimit);
    call->request = ToRequest(query);
    call->done = std::move(done);
    Send(query.op, *call,
         [call](const grpc::Status& status) { call->done(ToAnswer(status, call->reply)); });
  }

 private:
  void Send(StockOp op, PendingCall& call, std::function<void(grpc::Status)> ended) {
    switch (op) {
      case StockOp::kGet:
        return stub_->async()->Get(&call.context, &call.request, &call.reply, std::move(ended));
      case StockOp::kCheck:
        return stub_->async()->Check(&call.context, &call.request, &call.reply, std::move(ended));
      case StockOp::kUpdate:
        return stub_->async()->Update(&call.context, &call.request, &call.reply, std::move(ended));
      case StockOp::kTake:
        return stub_->async()->Take(&call.context, &call.request, &call.reply, std::move(ended));
    }
  }

  std::unique_ptr<v1::Stock::Stub> stub_;
};

}  // namespace

std::unique_ptr<BlockingStock> MakeGrpcStock(std::uint16_t port) {
  return std::make_unique<GrpcStock>(port);
}

std::unique_ptr<AsyncStock> MakeAsyncGrpcStock(std::uint16_t port) {
  return std::make_unique<AsyncGrpcStock>(port);
}

}  // namespace minichat::transports
