#include "ws/key_limits.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Limits = KeyLimits<int>;

constexpr Limits::Clock::time_point kNow{};

TEST(TokenBucketTest, LetsTwiceTheRateThroughThenTheRate) {
  using std::chrono::milliseconds;
  auto now = TokenBucket::Clock::time_point{};
  TokenBucket bucket(2, now);

  for (int i = 0; i < 4; ++i) EXPECT_TRUE(bucket.TryTake(now));
  EXPECT_FALSE(bucket.TryTake(now));
  EXPECT_EQ(bucket.Wait(), milliseconds(501));
  EXPECT_FALSE(bucket.TryTake(now + milliseconds(499)));
  EXPECT_TRUE(bucket.TryTake(now + milliseconds(500)));
}

TEST(KeyLimitsTest, AKeyHoldsSoManyAndOthersTheirOwn) {
  Limits limits({.held = 2});

  EXPECT_TRUE(limits.TryHold(1, kNow));
  EXPECT_TRUE(limits.TryHold(1, kNow));
  EXPECT_FALSE(limits.TryHold(1, kNow));
  EXPECT_TRUE(limits.TryHold(2, kNow));
  limits.Release(1, kNow);
  EXPECT_TRUE(limits.TryHold(1, kNow));
}

TEST(KeyLimitsTest, WithoutALimitAnythingGoes) {
  Limits limits({});

  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(limits.TryHold(1, kNow));
    EXPECT_EQ(limits.TryAct(1, kNow), std::nullopt);
  }
}

TEST(KeyLimitsTest, WhoActsTooOftenIsToldHowLongToWait) {
  Limits limits({.per_s = 1});

  EXPECT_EQ(limits.TryAct(1, kNow), std::nullopt);
  EXPECT_EQ(limits.TryAct(1, kNow), std::nullopt);
  EXPECT_EQ(limits.TryAct(1, kNow), milliseconds(1'001));
  EXPECT_EQ(limits.TryAct(2, kNow), std::nullopt);
  EXPECT_EQ(limits.TryAct(1, kNow + seconds(1)), std::nullopt);
}

TEST(KeyLimitsTest, ComingBackGivesNoNewBurst) {
  Limits limits({.held = 1, .per_s = 1});
  ASSERT_TRUE(limits.TryHold(1, kNow));
  limits.TryAct(1, kNow);
  limits.TryAct(1, kNow);

  limits.Release(1, kNow);
  ASSERT_TRUE(limits.TryHold(1, kNow));

  EXPECT_NE(limits.TryAct(1, kNow), std::nullopt);
}

TEST(KeyLimitsTest, WhoHoldsNothingAndDidNothingLatelyIsForgotten) {
  Limits limits({.held = 1, .per_s = 1});
  limits.TryHold(1, kNow);
  limits.TryAct(1, kNow);

  limits.Release(1, kNow + seconds(2));

  EXPECT_EQ(limits.size(), 0u);
}

TEST(KeyLimitsTest, TheTableIsBoundedAndKeepsWhoHoldsSomething) {
  Limits limits({.held = 1, .per_s = 1});
  limits.TryHold(-1, kNow);

  for (int key = 0; key < 100'000; ++key) {
    limits.TryAct(key, kNow);
    ASSERT_LE(limits.size(), Limits::kMaxIdle + 1);
  }

  EXPECT_FALSE(limits.TryHold(-1, kNow));
}

TEST(KeyLimitsTest, AFullTableForgetsFirstWhoWaitedLongEnough) {
  Limits limits({.per_s = 1});
  for (std::size_t i = 0; i < Limits::kMaxIdle / 2 + 1; ++i) {
    limits.TryAct(static_cast<int>(i), kNow);
  }
  limits.TryAct(-1, kNow + seconds(5));
  limits.TryAct(-1, kNow + seconds(5));
  for (std::size_t i = 0; i < Limits::kMaxIdle / 2; ++i) {
    limits.TryAct(1'000'000 + static_cast<int>(i), kNow + seconds(5));
  }

  EXPECT_NE(limits.TryAct(-1, kNow + seconds(5)), std::nullopt);
}

}  // namespace
}  // namespace minichat::ws
