#include "server/base/repeat_limit.h"

#include <gtest/gtest.h>

namespace minichat {
namespace {

using std::chrono::seconds;

class RepeatLimitTest : public testing::Test {
 protected:
  RepeatLimit limit_{seconds(10)};
  const RepeatLimit::Clock::time_point start_;
};

TEST_F(RepeatLimitTest, LetsOnePerPeriodThroughAndTellsHowManyItHeldBack) {
  EXPECT_EQ(limit_.Admit("redis_down", start_), 0u);
  EXPECT_EQ(limit_.Admit("redis_down", start_ + seconds(1)), std::nullopt);
  EXPECT_EQ(limit_.Admit("redis_down", start_ + seconds(9)), std::nullopt);
  EXPECT_EQ(limit_.Admit("redis_down", start_ + seconds(10)), 2u);
  EXPECT_EQ(limit_.Admit("redis_down", start_ + seconds(20)), 0u);
}

TEST_F(RepeatLimitTest, KeysDoNotTouchEachOther) {
  EXPECT_EQ(limit_.Admit("a", start_), 0u);
  EXPECT_EQ(limit_.Admit("b", start_), 0u);
}

TEST_F(RepeatLimitTest, StartsAnewAboveItsBound) {
  for (std::size_t i = 0; i <= RepeatLimit::kMaxKeys; ++i) {
    EXPECT_EQ(limit_.Admit(std::to_string(i), start_), 0u);
  }
  EXPECT_EQ(limit_.Admit("0", start_), 0u);
}

}  // namespace
}  // namespace minichat
