#include "server/core/passed_messages.h"

#include <gtest/gtest.h>

namespace minichat::core {
namespace {

constexpr TimePoint kNow{};
constexpr TimePoint kUntil = kNow + std::chrono::seconds(10);
constexpr BodyHash kHash = 7;

MessageId Id(std::uint8_t last) {
  std::array<std::uint8_t, MessageId::kBytes> bytes{};
  bytes.back() = last;
  return MessageId(bytes);
}

class PassedMessagesTest : public testing::Test {
 protected:
  // The session joined at 10 and has all up to 20.
  PassedMessagesTest() {
    auto unstored = std::make_shared<UnstoredMap>();
    (*unstored)[{Id(1), kHash}] = 10;
    (*unstored)[{Id(2), kHash}] = 11;
    (*unstored)[{Id(3), kHash}] = 20;
    (*unstored)[{Id(4), kHash}] = 21;
    AddVariants(*unstored);
    passed_.Remember(unstored, 10, 20, kUntil, rules_);
  }

  bool Had(const MessageId& id, TimePoint now = kNow) {
    return passed_.Had({id, kHash}, now, rules_);
  }

  const ProtocolRules rules_;
  PassedMessages passed_;
};

TEST_F(PassedMessagesTest, KnowsWhatPassedBetweenJoinAndCursor) {
  EXPECT_FALSE(Had(Id(1)));  // the node that the session came from may have lacked it
  EXPECT_TRUE(Had(Id(2)));
  EXPECT_TRUE(Had(Id(3)));
  EXPECT_FALSE(Had(Id(4)));
  EXPECT_FALSE(Had(Id(5)));
}

TEST_F(PassedMessagesTest, KnowsItUnderItsVariantIdToo) {
  EXPECT_TRUE(Had(VariantIdOf(Id(2), kHash)));
  EXPECT_FALSE(Had(VariantIdOf(Id(1), kHash)));
}

TEST_F(PassedMessagesTest, TellsTwoTextsUnderOneIdApart) {
  EXPECT_FALSE(passed_.Had({Id(2), kHash + 1}, kNow, rules_));
}

TEST_F(PassedMessagesTest, ForgetsInTime) {
  EXPECT_TRUE(Had(Id(2), kUntil - std::chrono::milliseconds(1)));
  EXPECT_FALSE(Had(Id(2), kUntil));
}

}  // namespace
}  // namespace minichat::core
