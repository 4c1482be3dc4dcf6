#include "loadtest/experiments/transports/take_account.h"

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

using std::chrono::milliseconds;

TEST(TakeAccountTest, AnswersInAnyOrderAddUp) {
  TakeAccount account(2, 10);

  account.Taken(0, 8, {}, {});
  account.Taken(0, 9, {}, {});
  account.Taken(1, 9, {}, {});

  const auto figures = account.Read();
  EXPECT_EQ(figures.takes, 3u);
  EXPECT_EQ(figures.wrong_items, 0u);
}

TEST(TakeAccountTest, SeesAnItemThatWasTakenTwice) {
  TakeAccount account(2, 10);

  account.Taken(0, 9, {}, {});
  account.Taken(0, 9, {}, {});
  account.Taken(1, 9, {}, {});

  EXPECT_EQ(account.Read().wrong_items, 1u);
}

TEST(TakeAccountTest, OnlyTheMeasuredStretchHasLatencies) {
  TakeAccount account(1, 10);

  account.Taken(0, 9, milliseconds(100), milliseconds(100));
  account.BeginMeasuring();
  account.Taken(0, 8, milliseconds(20), milliseconds(5));
  account.EndMeasuring();
  account.Taken(0, 7, milliseconds(100), milliseconds(100));

  const auto figures = account.Read();
  EXPECT_EQ(figures.takes, 3u);
  EXPECT_EQ(figures.measured, 1u);
  EXPECT_NEAR(figures.p50_ms, 20, 0.1);
  EXPECT_NEAR(figures.p99_ms, 20, 0.1);
  EXPECT_NEAR(figures.in_hand_p50_ms, 5, 0.1);
}

TEST(TakeAccountTest, KeepsTheFirstFailure) {
  TakeAccount account(1, 10);

  account.Failed(Unavailable("first"));
  account.Failed(Unavailable("second"));

  const auto figures = account.Read();
  EXPECT_EQ(figures.failed, 2u);
  EXPECT_NE(figures.first_failure.find("first"), std::string::npos);
}

}  // namespace
}  // namespace minichat::transports
