#include "relay/relay_codec.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "relay/wire.h"
#include "server/base/utf8.h"

namespace minichat::relay {
namespace {

// Tag and length of one recipient.
constexpr std::size_t kRecipientOverhead = 3;

// The fields that each call has for itself.
void AppendOwn(const core::Incarnation& target, const std::vector<core::SessionId>& recipients,
               std::size_t first, std::size_t count, std::string* out) {
  wire::AppendBytes(v1::DeliverRequest::kTargetIncarnationFieldNumber, target.value(), out);
  for (std::size_t i = first; i < first + count; ++i) {
    wire::AppendBytes(v1::DeliverRequest::kRecipientsFieldNumber, recipients[i].value(), out);
  }
}

}  // namespace

EncodedEvent::EncodedEvent(const core::Event& event) {
  v1::DeliverRequest request;
  request.set_generation(event.place.generation);
  request.set_room(event.room.value());
  request.set_seq(event.place.seq);
  request.set_prev(event.place.prev);
  request.set_id(std::string(event.id.bytes()));
  request.set_body_hash(event.hash);
  request.set_event(*event.encoded);
  shared_ = ToSlice(request.SerializeAsString());
}

grpc::ByteBuffer EncodedEvent::Request(const core::Incarnation& target,
                                       const std::vector<core::SessionId>& recipients,
                                       std::size_t first, std::size_t count) const {
  std::string own;
  AppendOwn(target, recipients, first, count, &own);
  const grpc::Slice slices[] = {shared_, ToSlice(std::move(own))};
  return grpc::ByteBuffer(slices, std::size(slices));
}

std::string EncodedEvent::RequestBytes(const core::Incarnation& target,
                                       const std::vector<core::SessionId>& recipients,
                                       std::size_t first, std::size_t count) const {
  std::size_t bytes = shared_.size() + target.value().size() + kRecipientOverhead;
  for (std::size_t i = first; i < first + count; ++i) {
    bytes += recipients[i].value().size() + kRecipientOverhead;
  }
  std::string request;
  request.reserve(bytes);
  request.append(reinterpret_cast<const char*>(shared_.begin()), shared_.size());
  AppendOwn(target, recipients, first, count, &request);
  return request;
}

grpc::Slice ToSlice(std::string bytes) {
  auto owned = std::make_unique<std::string>(std::move(bytes));
  std::string* text = owned.release();  // the slice's last reference deletes it
  return grpc::Slice(
      text->data(), text->size(), [](void* user) { delete static_cast<std::string*>(user); }, text);
}

std::size_t ChunkFrom(const std::vector<core::SessionId>& recipients, std::size_t first,
                      std::size_t shared_bytes, std::size_t max_recipients, std::size_t max_bytes) {
  const std::size_t end = std::min(recipients.size(), first + max_recipients);
  std::size_t bytes = shared_bytes;
  std::size_t i = first;
  for (; i < end; ++i) {
    bytes += recipients[i].value().size() + kRecipientOverhead;
    if (bytes > max_bytes && i > first) break;  // one at least, or there would be no end
  }
  return i - first;
}

Result<InboundRelay> DecodeRequest(v1::DeliverRequest&& request) {
  const auto count = static_cast<std::size_t>(request.recipients_size());
  if (count == 0 || count > kMaxRecipientsPerCall) return InvalidArgument("relay: recipients");
  if (request.room().empty() || request.event().empty()) return InvalidArgument("relay: no event");
  if (request.seq() == 0 || request.seq() > core::kMaxSeq || request.prev() >= request.seq()) {
    return InvalidArgument("relay: place");
  }
  auto event = std::make_shared<core::Event>();
  if (request.id().size() != core::MessageId::kBytes ||
      !core::MessageId::FromBytes(request.id(), &event->id)) {
    return InvalidArgument("relay: id");
  }
  event->room = core::RoomId(request.room());
  event->place = {request.seq(), request.prev(), request.generation()};
  event->hash = request.body_hash();
  event->encoded = std::make_shared<const std::string>(std::move(*request.mutable_event()));

  InboundRelay relay;
  relay.target = core::Incarnation(request.target_incarnation());
  relay.event = std::move(event);
  relay.recipients.reserve(count);
  for (std::string& recipient : *request.mutable_recipients()) {
    relay.recipients.emplace_back(std::move(recipient));
  }
  return relay;
}

v1::ControlRequest EncodeTyping(const core::Incarnation& target, const core::Typing& typing) {
  v1::ControlRequest request;
  request.set_target_incarnation(target.value());
  request.mutable_typing()->set_room(typing.room.value());
  request.mutable_typing()->set_user(typing.user.value());
  return request;
}

Result<InboundControl> DecodeControl(const v1::ControlRequest& request) {
  if (!request.has_typing()) return InvalidArgument("control: of an unknown kind");
  const v1::Typing& typing = request.typing();
  if (!IsId(typing.room()) || !IsId(typing.user())) return InvalidArgument("control: ids");
  return InboundControl{core::Incarnation(request.target_incarnation()),
                        {core::RoomId(typing.room()), core::UserId(typing.user())}};
}

v1::RecipientResult ToWire(core::RelayResult result) {
  switch (result) {
    case core::RelayResult::kQueued:
      return v1::RECIPIENT_RESULT_QUEUED;
    case core::RelayResult::kNotHere:
      return v1::RECIPIENT_RESULT_NOT_HERE;
    case core::RelayResult::kQueueFull:
      return v1::RECIPIENT_RESULT_QUEUE_FULL;
    case core::RelayResult::kFailed:
      break;
  }
  return v1::RECIPIENT_RESULT_UNSPECIFIED;
}

core::RelayResult FromWire(v1::RecipientResult result) {
  switch (result) {
    case v1::RECIPIENT_RESULT_QUEUED:
      return core::RelayResult::kQueued;
    case v1::RECIPIENT_RESULT_NOT_HERE:
      return core::RelayResult::kNotHere;
    case v1::RECIPIENT_RESULT_QUEUE_FULL:
      return core::RelayResult::kQueueFull;
    default:
      return core::RelayResult::kFailed;
  }
}

}  // namespace minichat::relay
