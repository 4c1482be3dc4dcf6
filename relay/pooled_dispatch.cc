#include "relay/pooled_dispatch.h"

#include <chrono>
#include <utility>

#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>  // how the call parses its reply
#include <grpcpp/impl/codegen/rpc_method.h>

namespace minichat::relay {
namespace {

grpc::Status NotMade(const char* why) {
  return {grpc::StatusCode::CANCELLED, why};
}

// What a generated blocking stub does, but with the bytes that calls share instead of a message
// that each call would have to encode: a comparison of dispatches is to compare nothing else.
grpc::Status Block(grpc::Channel& channel, RelayCall& call) {
  if (call.context.deadline() <= std::chrono::system_clock::now()) {
    return NotMade("its time was over before its turn");
  }
  const grpc::internal::RpcMethod method(kDeliverMethod, grpc::internal::RpcMethod::NORMAL_RPC);
  return grpc::internal::BlockingUnaryCall(&channel, method, &call.context, call.request,
                                           &call.reply);
}

}  // namespace

void PooledDispatch::Start(PeerChannel& peer, std::unique_ptr<RelayCall> call) {
  RelayCall* started = call.release();  // the task holds it until it gives it back
  const auto give_back = [started, ended = ended_](grpc::Status status) {
    std::unique_ptr<RelayCall> back(started);
    back->status = std::move(status);
    ended->Push(std::move(back));
  };
  FedExecutor::Task task;
  task.run = [started, channel = peer.channel, give_back] { give_back(Block(*channel, *started)); };
  task.refused = [give_back] { give_back(NotMade("the pool is full")); };
  if (!pool_.HandOver(std::move(task))) give_back(NotMade("too many tasks wait for the pool"));
}

}  // namespace minichat::relay
