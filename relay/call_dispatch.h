#pragma once

#include <memory>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include "minichat/v1/relay.pb.h"
#include "relay/delivery.h"
#include "relay/mailbox.h"

namespace minichat::relay {

inline constexpr char kDeliverMethod[] = "/minichat.v1.Relay/Deliver";

// One RPC. The threads of its dispatch write status and reply, then hand it over; all else is the
// core thread's.
struct RelayCall {
  RelayPart part;
  grpc::ByteBuffer request;

  grpc::ClientContext context;
  v1::DeliverReply reply;
  grpc::Status status;
};

using EndedCalls = Mailbox<std::unique_ptr<RelayCall>>;

// What the calls to one peer go out on.
struct PeerChannel {
  // Generic, because the request is put together from bytes that calls share (EncodedEvent).
  using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, v1::DeliverReply>;

  explicit PeerChannel(std::shared_ptr<grpc::Channel> to) : channel(std::move(to)), stub(channel) {}

  std::shared_ptr<grpc::Channel> channel;
  Stub stub;
};

// Makes the calls that links have admitted. What a node does is CallbackDispatch; the lab compares
// it with others.
//
// Lifetime:  outlives the links; calls may outlive it.
// Threading: Start() on the core thread; must not wait.
// Errors:    each call comes back once, through the mailbox that the dispatch was given.
class CallDispatch {
 public:
  virtual ~CallDispatch() = default;

  // The call's context is complete, with secret and deadline.
  virtual void Start(PeerChannel& peer, std::unique_ptr<RelayCall> call) = 0;
};

// By gRPC's callback API: no thread waits for a call.
class CallbackDispatch final : public CallDispatch {
 public:
  explicit CallbackDispatch(std::shared_ptr<EndedCalls> ended) : ended_(std::move(ended)) {}

  void Start(PeerChannel& peer, std::unique_ptr<RelayCall> call) override;

 private:
  const std::shared_ptr<EndedCalls> ended_;
};

}  // namespace minichat::relay
