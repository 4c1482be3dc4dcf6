#include "loadtest/experiments/chain/hop_budget.h"

#include <gtest/gtest.h>

namespace minichat::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr TimePoint kNow{std::chrono::hours(7)};
const system_clock::time_point kWallNow{std::chrono::hours(500'000)};
constexpr milliseconds kMargin{50};

TEST(HopBudgetTest, CountsFromTheGrpcDeadline) {
  const HopBudget budget = HopBudget::Of(kWallNow + milliseconds(1'000), kWallNow, kNow);

  EXPECT_FALSE(budget.unlimited());
  EXPECT_EQ(budget.Remaining(kNow + milliseconds(300)), milliseconds(700));
  EXPECT_EQ(budget.ForNextHop(kNow + milliseconds(300), kMargin), milliseconds(650));
  EXPECT_FALSE(budget.Passed(kNow + milliseconds(1'000)));
  EXPECT_TRUE(budget.Passed(kNow + milliseconds(1'001)));
}

TEST(HopBudgetTest, LeavesNothingForTheNextHopWithinTheMargin) {
  const HopBudget budget = HopBudget::Of(kWallNow + milliseconds(1'000), kWallNow, kNow);

  EXPECT_EQ(budget.ForNextHop(kNow + milliseconds(960), kMargin), Duration::zero());
  EXPECT_EQ(budget.ForNextHop(kNow + milliseconds(5'000), kMargin), Duration::zero());
}

TEST(HopBudgetTest, KnowsThatThereIsNoDeadline) {
  const HopBudget budget = HopBudget::Of(system_clock::time_point::max(), kWallNow, kNow);

  EXPECT_TRUE(budget.unlimited());
  EXPECT_EQ(budget.Remaining(kNow), std::nullopt);
  EXPECT_EQ(budget.ForNextHop(kNow, kMargin), std::nullopt);
  EXPECT_FALSE(budget.Passed(TimePoint::max()));
}

TEST(HopBudgetTest, HasNothingLeftWhenTheDeadlineIsPast) {
  const HopBudget budget = HopBudget::Of(kWallNow - milliseconds(5), kWallNow, kNow);

  EXPECT_FALSE(budget.unlimited());
  EXPECT_EQ(budget.Remaining(kNow), Duration::zero());
  EXPECT_TRUE(budget.Passed(kNow));
}

}  // namespace
}  // namespace minichat::lab
