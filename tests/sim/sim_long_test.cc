// Each rule of a message's life is there for a reason: without it the simulation finds a broken
// promise.
#include <iostream>

#include <gtest/gtest.h>

#include "tests/sim/sim_runner.h"

namespace minichat::sim {
namespace {

class RuleTest : public testing::TestWithParam<std::string> {};

TEST_P(RuleTest, IsMissedWithinAThousandSeeds) {
  SimOptions options;
  ASSERT_TRUE(SwitchOff(GetParam(), &options.rules));

  const SimSummary summary = RunSeeds(options, {1, 1000, true, true});

  EXPECT_GT(summary.bad_runs, 0u) << "nothing breaks without " << GetParam();
  std::cout << summary.ToText();
}

INSTANTIATE_TEST_SUITE_P(All, RuleTest, testing::ValuesIn(RuleNames()),
                         [](const auto& rule) { return rule.param; });

TEST(LongSimulationTest, TwentyThousandSeedsKeepAllPromises) {
  const SimSummary summary = RunSeedsInThreads({}, {10'001, 30'000, true, false}, 2);

  EXPECT_EQ(0u, summary.bad_runs) << summary.ToText();
}

}  // namespace
}  // namespace minichat::sim
