#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "minichat/v1/relay.pb.h"
#include "relay/relay_codec.h"
#include "server/base/scheduler.h"
#include "server/base/status.h"

namespace minichat::relay {

// What one batch of a stream may carry, beside kMaxRequestBytes. Both ends hold to it.
inline constexpr std::size_t kMaxItemsPerBatch = 1024;
// What an item adds to its request's bytes, at the most.
inline constexpr std::size_t kItemOverhead = 32;
// A larger item would end the stream, and all that is on it.
inline constexpr std::size_t kMaxItemBytes = kMaxMessageBytes - kItemOverhead;

// Adds one item to a v1::StreamBatch in wire form. `request`: a v1::DeliverRequest in wire form.
void AppendItem(std::uint64_t item, Duration budget, std::string_view request, std::string* batch);

// One item as the receiver takes it.
struct InboundItem {
  std::uint64_t id = 0;
  Duration budget{};
  std::size_t bytes = 0;
  Result<InboundRelay> relay;  // of DecodeRequest()
};

// InvalidArgument when the batch as a whole is not what a node would send.
Result<std::vector<InboundItem>> DecodeBatch(v1::StreamBatch&& batch);

}  // namespace minichat::relay
