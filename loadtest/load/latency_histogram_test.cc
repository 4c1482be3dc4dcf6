#include "loadtest/load/latency_histogram.h"

#include <memory>

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(LatencyHistogramTest, HasNothingToSayWithoutSamples) {
  EXPECT_EQ(std::make_unique<LatencyHistogram>()->AtMs(0.5), 0);
}

TEST(LatencyHistogramTest, IsExactToTheMicrosecondBelowTwoMilliseconds) {
  const auto histogram = std::make_unique<LatencyHistogram>();
  for (int us = 1; us <= 1000; ++us) histogram->Add(microseconds(us));

  EXPECT_DOUBLE_EQ(histogram->AtMs(0.5), 0.5);
  EXPECT_DOUBLE_EQ(histogram->AtMs(0.99), 0.99);
  EXPECT_DOUBLE_EQ(histogram->AtMs(1), 1.0);
}

TEST(LatencyHistogramTest, IsWithinATenthOfAPercentAbove) {
  for (std::int64_t us = 1; us < 4'000'000'000; us = us * 3 + 1) {
    const auto histogram = std::make_unique<LatencyHistogram>();
    histogram->Add(microseconds(us));
    const double ms = static_cast<double>(us) / 1e3;
    EXPECT_GE(histogram->AtMs(0.5), ms);
    EXPECT_LE(histogram->AtMs(0.5), ms * 1.001);
  }
}

TEST(LatencyHistogramTest, TwoAddUp) {
  const auto one = std::make_unique<LatencyHistogram>();
  const auto two = std::make_unique<LatencyHistogram>();
  one->Add(microseconds(100));
  two->Add(microseconds(300));
  one->Add(*two);

  EXPECT_EQ(one->count(), 2U);
  EXPECT_DOUBLE_EQ(one->AtMs(0.5), 0.1);
  EXPECT_DOUBLE_EQ(one->AtMs(1), 0.3);
}

TEST(LatencyHistogramTest, KeepsWhatIsOutsideItsRangeAtItsEnds) {
  const auto histogram = std::make_unique<LatencyHistogram>();
  histogram->Add(nanoseconds(-5));
  histogram->Add(hours(24));

  EXPECT_EQ(histogram->count(), 2U);
  EXPECT_EQ(histogram->AtMs(0.5), 0);
  EXPECT_GT(histogram->AtMs(1), 3'600'000);
}

}  // namespace
}  // namespace minichat::loadtest
