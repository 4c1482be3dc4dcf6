#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include "minichat/v1/relay.pb.h"
#include "server/base/status.h"
#include "server/core/ids.h"
#include "server/core/message.h"
#include "server/core/ports/relay.h"

namespace minichat::relay {

// What one call may carry. Both ends hold to it.
inline constexpr std::size_t kMaxRecipientsPerCall = 512;
inline constexpr std::size_t kMaxRequestBytes = std::size_t{1} << 20;  // cut to this
inline constexpr int kMaxMessageBytes = 4 << 20;                       // gRPC refuses above

// An event in wire form, for any number of calls: the fields that all of them share, encoded once
// and reference-counted. A call's request is these bytes followed by its own fields; protobuf
// defines that as one message.
//
// Threading: immutable.
class EncodedEvent {
 public:
  explicit EncodedEvent(const core::Event& event);

  std::size_t size() const { return shared_.size(); }
  // The request for recipients [first, first + count).
  grpc::ByteBuffer Request(const core::Incarnation& target,
                           const std::vector<core::SessionId>& recipients, std::size_t first,
                           std::size_t count) const;
  // The same as plain bytes, for what is copied into a larger message anyway.
  std::string RequestBytes(const core::Incarnation& target,
                           const std::vector<core::SessionId>& recipients, std::size_t first,
                           std::size_t count) const;

 private:
  grpc::Slice shared_;
};

// A slice that owns the string: no copy.
grpc::Slice ToSlice(std::string bytes);

// Where to cut a list of recipients: how many from `first` on go into one call.
std::size_t ChunkFrom(const std::vector<core::SessionId>& recipients, std::size_t first,
                      std::size_t shared_bytes, std::size_t max_recipients, std::size_t max_bytes);

// A request as the receiver takes it.
struct InboundRelay {
  core::Incarnation target;
  core::EventPtr event;
  std::vector<core::SessionId> recipients;
};

// InvalidArgument when a field is not what a node would send. Takes the request's strings.
Result<InboundRelay> DecodeRequest(v1::DeliverRequest&& request);

// What is no message, as the receiver takes it.
struct InboundControl {
  core::Incarnation target;
  core::Typing typing;
};

v1::ControlRequest EncodeTyping(const core::Incarnation& target, const core::Typing& typing);
// InvalidArgument when a field is not what a node would send, or of a later version.
Result<InboundControl> DecodeControl(const v1::ControlRequest& request);

v1::RecipientResult ToWire(core::RelayResult result);
// What isn't known counts as failed.
core::RelayResult FromWire(v1::RecipientResult result);

}  // namespace minichat::relay
