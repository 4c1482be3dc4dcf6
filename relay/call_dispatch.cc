#include "relay/call_dispatch.h"

#include <utility>

#include <grpcpp/impl/codegen/proto_utils.h>  // how the generic stubs parse the replies

namespace minichat::relay {

void CallbackDispatch::Start(PeerChannel& peer, std::unique_ptr<RelayCall> call) {
  RelayCall* started = call.release();  // gRPC holds it until the callback takes it back
  peer.stub.UnaryCall(&started->context, kDeliverMethod, {}, &started->request, &started->reply,
                      [started, ended = ended_](grpc::Status status) {
                        std::unique_ptr<RelayCall> back(started);
                        back->status = std::move(status);
                        ended->Push(std::move(back));
                      });
}

}  // namespace minichat::relay
