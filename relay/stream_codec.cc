#include "relay/stream_codec.h"

#include <chrono>
#include <utility>

#include "relay/wire.h"

namespace minichat::relay {

using std::chrono::milliseconds;

void AppendItem(std::uint64_t item, Duration budget, std::string_view request, std::string* batch) {
  using Item = v1::StreamItem;
  // Rounded up: with 0 the receiver would drop at once what still has a moment.
  const auto budget_ms =
      static_cast<std::uint64_t>(std::chrono::ceil<milliseconds>(budget).count());
  constexpr std::size_t kTags = 3;  // one byte each
  const std::size_t size = kTags + wire::VarintSize(item) + wire::VarintSize(budget_ms) +
                           wire::VarintSize(request.size()) + request.size();
  wire::AppendLength(v1::StreamBatch::kItemsFieldNumber, size, batch);
  wire::AppendNumber(Item::kItemFieldNumber, item, batch);
  wire::AppendNumber(Item::kBudgetMsFieldNumber, budget_ms, batch);
  wire::AppendLength(Item::kRequestFieldNumber, request.size(), batch);
  batch->append(request);
}

Result<std::vector<InboundItem>> DecodeBatch(v1::StreamBatch&& batch) {
  const auto count = static_cast<std::size_t>(batch.items_size());
  if (count == 0 || count > kMaxItemsPerBatch) return InvalidArgument("relay: items");
  std::vector<InboundItem> items;
  items.reserve(count);
  for (v1::StreamItem& item : *batch.mutable_items()) {
    const std::size_t bytes = item.request().ByteSizeLong();
    items.push_back({item.item(), milliseconds(item.budget_ms()), bytes,
                     DecodeRequest(std::move(*item.mutable_request()))});
  }
  return items;
}

}  // namespace minichat::relay
