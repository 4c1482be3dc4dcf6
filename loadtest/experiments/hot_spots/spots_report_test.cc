#include "loadtest/experiments/hot_spots/spots_report.h"

#include <gtest/gtest.h>

namespace minichat::lab {
namespace {

SpotResult Spotted(const std::string& name, double before_us, double after_us) {
  SpotResult result{name, "Storing", "row", 5, {}};
  result.variants = {{"one by one", "348 µs", {}}, {"unnest", "12.6 µs", {}}};
  for (int round = 0; round < 3; ++round) {
    result.variants[0].rounds.push_back({before_us, 10, 100});
    result.variants[1].rounds.push_back({after_us, 1, 10});
  }
  return result;
}

TEST(SpotTest, TakesTheMedianOfTheRatiosWithinTheRounds) {
  SpotResult result = Spotted("rows", 100, 10);
  // A round in which the whole machine was slow, and one in which it was during one stretch.
  result.variants[0].rounds[1].wall_us = 1'000;
  result.variants[1].rounds[1].wall_us = 100;
  result.variants[1].rounds[2].wall_us = 100;

  EXPECT_DOUBLE_EQ(result.Gain(0), 1);
  EXPECT_DOUBLE_EQ(result.Gain(1), 10);
  EXPECT_DOUBLE_EQ(result.variants[0].MedianCpu(), 110);
}

TEST(SpotTest, TellsThatAResultIsNotWhatItMustBe) {
  const Spot spot{
      "x", "X", "x", {{"right", 1, [] { return Status(); }}, {"wrong", 1, [] {
                                                                return Internal("wrong");
                                                              }}}};

  const auto result = Measure(spot, SpotPlan::Quick());

  EXPECT_EQ(result.status(), Internal("wrong"));
}

TEST(SpotTest, AQuickRunWantsTheFasterWayToBeFasterAndNoMore) {
  const auto right = [] { return Status(); };
  Spot spot{"x", "X", "x", {{"slow", 1, right}, {"fast", 1, right}}};
  spot.least_gain = 20;
  SpotPlan plan = SpotPlan::Quick();
  plan.stretch = std::chrono::milliseconds(0);

  EXPECT_EQ(Measure(spot, plan)->least_gain, 1);
  plan.gains_must_hold = true;
  EXPECT_EQ(Measure(spot, plan)->least_gain, 20);
}

TEST(SpotsReportTest, HoldsWhenTheGainIsLargeEnough) {
  EXPECT_TRUE(ReportOf({Spotted("rows", 100, 20)}).ok());
  EXPECT_FALSE(ReportOf({Spotted("rows", 100, 21)}).ok());
}

TEST(SpotsReportTest, SaysOfRoomsWhichGoesFaster) {
  const auto finding = [](double one, double many) {
    return ReportOf({Spotted("rooms", one, many)}).findings.front();
  };

  EXPECT_NE(finding(100, 50).find("Spread over rooms goes faster"), std::string::npos);
  EXPECT_NE(finding(50, 100).find("One room goes faster"), std::string::npos);
  EXPECT_NE(finding(100, 100).find("Neither"), std::string::npos);
  EXPECT_TRUE(ReportOf({Spotted("rooms", 50, 100)}).checks.empty());
}

}  // namespace
}  // namespace minichat::lab
