#include "loadtest/smoke/load_plan.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

TEST(LoadPlanTest, ComputesTheRelayCallsOfBothModes) {
  const LoadPlan plan({.nodes = 3, .rooms = 1, .members = 150, .messages = 10, .rate = 1}, "t");

  EXPECT_EQ(plan.RelayCalls("single"), 10 * 100u);
  EXPECT_EQ(plan.RelayCalls("bulk"), 10 * 2u);
}

TEST(LoadPlanTest, CutsBulkCallsAbove512RecipientsOfANode) {
  const LoadPlan plan({.nodes = 2, .rooms = 1, .members = 2 * 513, .messages = 1, .rate = 1}, "t");

  EXPECT_EQ(plan.RelayCalls("bulk"), 2u);
}

TEST(LoadPlanTest, CountsUnevenMembers) {
  // Nodes hold 2, 1 and 1 of the four members; each member sends once.
  const LoadPlan plan({.nodes = 3, .rooms = 1, .members = 4, .messages = 4, .rate = 1}, "t");

  EXPECT_EQ(plan.RelayCalls("single"), 2u + 3u + 3u + 2u);
  EXPECT_EQ(plan.RelayCalls("bulk"), 8u);
}

TEST(LoadPlanTest, CoversAllPairsOnceEachMemberHasSent) {
  EXPECT_EQ(
      LoadPlan({.nodes = 3, .rooms = 1, .members = 6, .messages = 6, .rate = 1}, "t").NodePairs(),
      9u);
  EXPECT_EQ(
      LoadPlan({.nodes = 3, .rooms = 1, .members = 6, .messages = 1, .rate = 1}, "t").NodePairs(),
      3u);
}

TEST(LoadPlanTest, KnowsItsOwnMessagesByTheirText) {
  const LoadPlan plan({.nodes = 3, .rooms = 1, .members = 6, .messages = 20, .rate = 1}, "t");

  EXPECT_EQ(plan.MessageOf(plan.Cid(17)), 17u);
  EXPECT_EQ(plan.MessageOf("t-m20"), 20u);
  EXPECT_EQ(plan.MessageOf("other"), 20u);
}

TEST(LoadPlanTest, SendsAtTheRate) {
  const LoadPlan plan({.nodes = 1, .rooms = 1, .members = 1, .messages = 20, .rate = 200}, "t");

  EXPECT_EQ(plan.SendTime(10), std::chrono::milliseconds(50));
}

}  // namespace
}  // namespace minichat::loadtest
