#include "ws/latest_lane.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

Frame Of(const std::string& text) {
  return std::make_shared<const std::string>(text);
}

TEST(LatestLaneTest, ANewerOneTakesThePlaceOfTheOlder) {
  LatestLane lane;
  EXPECT_FALSE(lane.Put("room/ann", Of("1")));
  EXPECT_FALSE(lane.Put("room/bob", Of("2")));
  EXPECT_FALSE(lane.Put("room/ann", Of("3")));

  ASSERT_EQ(lane.size(), 2u);
  EXPECT_EQ(*lane[0], "3");
  EXPECT_EQ(*lane[1], "2");
}

TEST(LatestLaneTest, AboveTheBoundTheOldestGoes) {
  LatestLane lane;
  for (std::size_t i = 0; i < LatestLane::kMaxFrames; ++i) {
    EXPECT_FALSE(lane.Put(std::to_string(i), Of(std::to_string(i))));
  }

  EXPECT_TRUE(lane.Put("new", Of("new")));

  EXPECT_EQ(lane.size(), LatestLane::kMaxFrames);
  EXPECT_EQ(*lane[0], "1");
  lane.Pop(LatestLane::kMaxFrames - 1);
  EXPECT_EQ(*lane[0], "new");
}

}  // namespace
}  // namespace minichat::ws
