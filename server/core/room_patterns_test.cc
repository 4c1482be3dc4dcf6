#include "server/core/room_patterns.h"

#include <gtest/gtest.h>

namespace minichat::core {
namespace {

TEST(RoomPatternsTest, StarsStandForAnyCharacters) {
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("*", "anything"));
  EXPECT_TRUE(MatchesPattern("a*c*", "abcabc"));
  EXPECT_TRUE(MatchesPattern("*b*d", "abcbd"));
  EXPECT_FALSE(MatchesPattern("*b*d", "abcbde"));
  EXPECT_FALSE(MatchesPattern("", "a"));
  EXPECT_FALSE(MatchesPattern("lobby", "lobby2"));
  EXPECT_FALSE(MatchesAny({}, "a"));
  EXPECT_TRUE(MatchesAny({"x", "a*"}, "ab"));
}

}  // namespace
}  // namespace minichat::core
