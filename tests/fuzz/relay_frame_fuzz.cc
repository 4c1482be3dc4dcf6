// What may arrive from something that isn't a node, or from one of another version: the decoders of
// relays must not crash, must let nothing through that the checks promise to stop, and what they
// let through must survive being sent on.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "relay/relay_codec.h"
#include "relay/stream_codec.h"
#include "server/base/check.h"
#include "server/base/utf8.h"

namespace {

using namespace minichat;  // a test target

void CheckRelay(const relay::InboundRelay& inbound) {
  const core::Place place = inbound.event->place;
  CHECK(!inbound.event->room.empty() && !inbound.event->encoded->empty());
  CHECK(place.seq > 0 && place.seq <= core::kMaxSeq && place.prev < place.seq);
  CHECK(!inbound.recipients.empty());
  CHECK(inbound.recipients.size() <= relay::kMaxRecipientsPerCall);
}

// As this node would send it, and as it would be read then.
void CheckSurvives(const relay::InboundRelay& inbound) {
  const std::string request =
      relay::EncodedEvent(*inbound.event)
          .RequestBytes(inbound.target, inbound.recipients, 0, inbound.recipients.size());
  std::string bytes;
  relay::AppendItem(1, std::chrono::milliseconds(1), request, &bytes);
  CHECK(bytes.size() <= request.size() + relay::kItemOverhead);
  v1::StreamBatch batch;
  CHECK(batch.ParseFromString(bytes));
  const auto items = relay::DecodeBatch(std::move(batch));
  CHECK(items.ok() && items->size() == 1 && items->front().relay.ok());
  const relay::InboundRelay& again = *items->front().relay;
  CHECK(again.target == inbound.target && again.recipients == inbound.recipients);
  CHECK(again.event->place == inbound.event->place && again.event->id == inbound.event->id);
  CHECK(*again.event->encoded == *inbound.event->encoded);
}

void Unary(const std::string& bytes) {
  v1::DeliverRequest request;
  if (!request.ParseFromString(bytes)) return;
  const auto inbound = relay::DecodeRequest(std::move(request));
  if (!inbound.ok()) return;
  CheckRelay(*inbound);
  CheckSurvives(*inbound);
}

void Stream(const std::string& bytes) {
  v1::StreamBatch batch;
  if (!batch.ParseFromString(bytes)) return;
  const auto items = relay::DecodeBatch(std::move(batch));
  if (!items.ok()) return;
  CHECK(!items->empty() && items->size() <= relay::kMaxItemsPerBatch);
  for (const relay::InboundItem& item : *items) {
    if (item.relay.ok()) CheckRelay(*item.relay);
  }
}

void Control(const std::string& bytes) {
  v1::ControlRequest request;
  if (!request.ParseFromString(bytes)) return;
  const auto control = relay::DecodeControl(request);
  if (!control.ok()) return;
  CHECK(IsId(control->typing.room.value()) && IsId(control->typing.user.value()));
  const auto again = relay::DecodeControl(relay::EncodeTyping(control->target, control->typing));
  CHECK(again.ok() && again->target == control->target && again->typing == control->typing);
}

void Reply(const std::string& bytes) {
  v1::StreamReply reply;
  if (!reply.ParseFromString(bytes)) return;
  for (const v1::StreamResult& result : reply.results()) {
    for (const int each : result.results()) {
      const auto known = relay::FromWire(static_cast<v1::RecipientResult>(each));
      CHECK(relay::FromWire(relay::ToWire(known)) == known);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  Unary(bytes);
  Stream(bytes);
  Control(bytes);
  Reply(bytes);
  return 0;
}
