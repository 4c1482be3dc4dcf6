#include "loadtest/live/live_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr LiveSettings kSettings = {.members = 30, .talkers = 3, .rate = 10, .running = true};

TEST(LiveBoardTest, ARefusedChangeChangesNothing) {
  LiveBoard board(kSettings, 100);
  const Status changed = board.Change(R"({"rate":20,"members":101})");

  EXPECT_THAT(changed.message(), HasSubstr("members"));
  EXPECT_EQ(board.settings(), kSettings);
}

TEST(LiveBoardTest, AWantedModeIsHandedOutOnce) {
  LiveBoard board(kSettings, 100);
  ASSERT_TRUE(board.Change(R"({"mode":"single"})").ok());

  EXPECT_EQ(board.AwaitMode(milliseconds(0)), "single");
  EXPECT_EQ(board.AwaitMode(milliseconds(0)), "");
}

TEST(LiveBoardTest, ANewWishForgetsWhyTheLastOneFailed) {
  LiveBoard board(kSettings, 100);
  board.SetModeError("nobody answers");
  EXPECT_EQ(board.View(0).mode_error, "nobody answers");

  ASSERT_TRUE(board.Change(R"({"mode":"bulk"})").ok());
  EXPECT_EQ(board.View(0).mode_error, "");
}

TEST(LiveBoardTest, CloseEndsTheWaitForAMode) {
  LiveBoard board(kSettings, 100);
  board.Close();

  EXPECT_EQ(board.AwaitMode(std::chrono::hours(1)), "");
  EXPECT_TRUE(board.closed());
}

TEST(LiveBoardTest, ASecondGoesWithTheNewestFiguresAndOldOnesAreForgotten) {
  LiveBoard board(kSettings, 100);
  board.SetFigures({.mode = "bulk"});
  for (std::size_t i = 0; i < LiveBoard::kSeconds + 5; ++i) {
    board.AddSecond({.second = i, .sent = 7}, {.sent = i}, {.p50_ms = 1.5});
  }

  const LiveView view = board.View(0);

  ASSERT_EQ(view.seconds.size(), LiveBoard::kSeconds);
  EXPECT_EQ(view.seconds.front().load.second, 5U);
  EXPECT_EQ(view.seconds.front().cluster.mode, "bulk");
  EXPECT_EQ(view.counts.sent, LiveBoard::kSeconds + 4);
  EXPECT_EQ(view.latency.p50_ms, 1.5);
  EXPECT_TRUE(board.View(view.seconds.back().at_ms).seconds.empty());
}

}  // namespace
}  // namespace minichat::loadtest
