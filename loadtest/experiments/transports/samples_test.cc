#include "loadtest/experiments/transports/samples.h"

#include <cmath>

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

Samples Rates(std::initializer_list<double> rates) {
  Samples samples;
  for (const double rate : rates) {
    Figures figures;
    figures.Set("rate", rate);
    samples.rounds.push_back(figures);
  }
  return samples;
}

TEST(SamplesTest, MedianSumAndMaxAreOverTheRounds) {
  EXPECT_EQ(Rates({3, 1, 2}).Median("rate"), 2);
  EXPECT_EQ(Rates({4, 1, 2, 3}).Median("rate"), 2.5);
  EXPECT_EQ(Rates({3, 1, 2}).Sum("rate"), 6);
  EXPECT_EQ(Rates({3, 1, 2}).Max("rate"), 3);
}

TEST(SamplesTest, ARoundThatToldNothingMakesAllUnknown) {
  Samples samples = Rates({1, 2});
  samples.rounds.emplace_back();

  EXPECT_TRUE(std::isnan(samples.Median("rate")));
  EXPECT_TRUE(std::isnan(samples.Sum("rate")));
  EXPECT_TRUE(std::isnan(samples.Max("rate")));
}

TEST(SamplesTest, RatiosAreTakenRoundByRound) {
  // A disturbed second round leaves the ratio alone.
  EXPECT_DOUBLE_EQ(MedianRatio(Rates({20, 4, 20}), Rates({10, 2, 10}), "rate"), 2);
}

}  // namespace
}  // namespace minichat::transports
