#include "relay/stream_codec.h"

#include <gtest/gtest.h>

#include "relay/wire.h"
#include "tests/support/relay_nodes.h"

namespace minichat::relay {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

std::string GoodRequest(std::size_t event_bytes = 200) {
  return EncodedEvent(*MakeEvent(event_bytes))
      .RequestBytes(core::Incarnation("i7"), Sessions(5), 1, 3);
}

v1::StreamBatch Parse(const std::string& bytes) {
  v1::StreamBatch batch;
  EXPECT_TRUE(batch.ParseFromString(bytes));
  return batch;
}

TEST(StreamCodecTest, BatchSurvivesTheWire) {
  std::string bytes;
  AppendItem(7, milliseconds(450), GoodRequest(), &bytes);
  AppendItem(std::uint64_t{1} << 40, microseconds(100), GoodRequest(100'000), &bytes);

  const auto items = DecodeBatch(Parse(bytes));

  ASSERT_TRUE(items.ok());
  ASSERT_EQ(items->size(), 2u);
  const InboundItem& first = (*items)[0];
  EXPECT_EQ(first.id, 7u);
  EXPECT_EQ(first.budget, milliseconds(450));
  EXPECT_EQ(first.bytes, GoodRequest().size());
  ASSERT_TRUE(first.relay.ok());
  EXPECT_EQ(first.relay->target, core::Incarnation("i7"));
  EXPECT_EQ(first.relay->event->place, MakeEvent()->place);
  EXPECT_EQ(first.relay->recipients,
            (std::vector<core::SessionId>{core::SessionId("s1"), core::SessionId("s2"),
                                          core::SessionId("s3")}));
  const InboundItem& second = (*items)[1];
  EXPECT_EQ(second.id, std::uint64_t{1} << 40);
  EXPECT_EQ(second.budget, milliseconds(1));  // not 0: there is a moment left
  ASSERT_TRUE(second.relay.ok());
  EXPECT_EQ(second.relay->event->encoded->size(), 100'000u);
}

TEST(StreamCodecTest, OverheadIsNeverMoreThanItIsSaidToBe) {
  const std::string request(kMaxItemBytes, 'x');
  std::string bytes;

  AppendItem(~std::uint64_t{0}, milliseconds(0xffffffff), request, &bytes);

  EXPECT_LE(bytes.size(), request.size() + kItemOverhead);
  EXPECT_LE(bytes.size(), std::size_t{kMaxMessageBytes});
}

TEST(StreamCodecTest, OneBadItemDoesNotSpoilTheOthers) {
  std::string bytes;
  AppendItem(1, milliseconds(100), "", &bytes);
  AppendItem(2, milliseconds(100), GoodRequest(), &bytes);

  const auto items = DecodeBatch(Parse(bytes));

  ASSERT_TRUE(items.ok());
  EXPECT_EQ((*items)[0].relay.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE((*items)[1].relay.ok());
}

TEST(StreamCodecTest, RefusesABatchOfNoneAndOfTooMany) {
  v1::StreamBatch batch;
  EXPECT_FALSE(DecodeBatch(v1::StreamBatch(batch)).ok());
  for (std::size_t i = 0; i < kMaxItemsPerBatch; ++i) batch.add_items();
  EXPECT_TRUE(DecodeBatch(v1::StreamBatch(batch)).ok());
  batch.add_items();
  EXPECT_FALSE(DecodeBatch(v1::StreamBatch(batch)).ok());
}

TEST(WireTest, VarintsAreAsLongAsTheyAreSaidToBe) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                    std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    std::string bytes;
    wire::AppendVarint(value, &bytes);
    EXPECT_EQ(bytes.size(), wire::VarintSize(value));
  }
}

}  // namespace
}  // namespace minichat::relay
