#include "server/core/passed_ahead.h"

#include <gtest/gtest.h>

namespace minichat::core {
namespace {

Place At(Seq seq) {
  return {seq, seq - 1, 1};
}

TEST(PassedAheadTest, TheCursorStaysBelowAHoleAndMovesOnWhenItIsFilled) {
  PassedAhead ahead;
  ASSERT_TRUE(ahead.Add(At(7)));
  ASSERT_TRUE(ahead.Add(At(8)));
  EXPECT_EQ(ahead.Absorb(5), 5u);

  ASSERT_TRUE(ahead.Add(At(6)));

  EXPECT_EQ(ahead.Absorb(5), 8u);
  EXPECT_EQ(ahead.Absorb(8), 8u);
}

TEST(PassedAheadTest, KnowsWhatItHad) {
  PassedAhead ahead;
  ASSERT_TRUE(ahead.Add(At(7)));

  EXPECT_FALSE(ahead.Add(At(7)));
  EXPECT_FALSE(ahead.Remove(6));
  EXPECT_TRUE(ahead.Remove(7));
  EXPECT_FALSE(ahead.Remove(7));
}

TEST(PassedAheadTest, AHoleThatIsNeverFilledCountsAsLostInTheEnd) {
  PassedAhead ahead;
  for (Seq seq = 2; seq < 2 + PassedAhead::kMost; ++seq) ahead.Add(At(seq));
  EXPECT_EQ(ahead.Absorb(0), 0u);

  ahead.Add(At(2 + PassedAhead::kMost));

  EXPECT_EQ(ahead.Absorb(0), 2 + PassedAhead::kMost);
}

TEST(PassedAheadTest, AbsorbAllSkipsTheHoles) {
  PassedAhead ahead;
  ahead.Add(At(7));
  ahead.Add(At(9));

  EXPECT_EQ(ahead.AbsorbAll(5), 9u);
  EXPECT_EQ(ahead.AbsorbAll(5), 5u);
}

}  // namespace
}  // namespace minichat::core
