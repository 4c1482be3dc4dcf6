#include "loadtest/load/load_series.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(LoadSeriesTest, KeepsWhatEachSecondBrought) {
  const auto start = Clock::now();
  LoadSeries series(start);
  series.Sent();
  series.Acked();
  series.Received(milliseconds(1));
  series.Received(milliseconds(3));
  series.EndSecond(start + seconds(1));
  series.Received(milliseconds(2));
  series.EndSecond(start + seconds(2));

  ASSERT_EQ(series.seconds().size(), 2U);
  const LoadSecond& first = series.seconds()[0];
  EXPECT_EQ(first.second, 0U);
  EXPECT_EQ(first.sent, 1U);
  EXPECT_EQ(first.acked, 1U);
  EXPECT_EQ(first.received, 2U);
  EXPECT_NEAR(first.p50_ms, 1, 0.01);
  EXPECT_NEAR(first.max_ms, 3, 0.01);
  const LoadSecond& second = series.seconds()[1];
  EXPECT_EQ(second.second, 1U);
  EXPECT_EQ(second.sent, 0U);
  EXPECT_EQ(second.received, 1U);
  EXPECT_NEAR(second.p50_ms, 2, 0.01);
}

TEST(LoadSeriesTest, ASecondThatTookLongerLeavesTheNextOneAtItsRightTime) {
  const auto start = Clock::now();
  LoadSeries series(start);
  series.EndSecond(start + milliseconds(3'010));
  series.EndSecond(start + milliseconds(4'000));

  EXPECT_EQ(series.seconds()[1].second, 3U);
}

TEST(LoadSeriesTest, TheShareIsOfTheProcessAndItsPeakOfWholeSecondsOnly) {
  const auto start = Clock::now();
  LoadSeries series(start);
  const double begun = OwnCpuSeconds();
  while (OwnCpuSeconds() < begun + 0.05) {
  }
  EXPECT_GE(series.EndSecond(start + seconds(1)).cpu_share, 0.05);
  const double peak = series.peak_cpu_share();
  EXPECT_GE(peak, 0.05);

  const double again = OwnCpuSeconds();
  while (OwnCpuSeconds() < again + 0.05) {
  }
  series.EndSecond(start + milliseconds(1'001));
  EXPECT_EQ(series.peak_cpu_share(), peak);
}

TEST(LoadSeriesTest, KeepsTheLastSecondsOnly) {
  const auto start = Clock::now();
  LoadSeries series(start, 2);
  for (int i = 1; i <= 3; ++i) series.EndSecond(start + seconds(i));

  ASSERT_EQ(series.seconds().size(), 2U);
  EXPECT_EQ(series.seconds()[0].second, 1U);
}

TEST(LoadSeriesTest, KnowsWhetherTheSecondThatGoesOnHasAnything) {
  const auto start = Clock::now();
  LoadSeries series(start);
  EXPECT_TRUE(series.empty());
  series.Sent();
  EXPECT_FALSE(series.empty());
  series.EndSecond(start + seconds(1));
  EXPECT_TRUE(series.empty());
}

}  // namespace
}  // namespace minichat::loadtest
