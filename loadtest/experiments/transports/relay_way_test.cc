#include "loadtest/experiments/transports/relay_way.h"

#include <gtest/gtest.h>

#include "loadtest/experiments/transports/step.h"

namespace minichat::transports {
namespace {

TEST(RelayWayTest, SessionNamesAreAsLongAsRealOnesAndComeBack) {
  for (const std::size_t recipient : {0u, 7u, 42u, 999u}) {
    EXPECT_EQ(SessionName(recipient).size(), 15u);
    EXPECT_EQ(RecipientOf(SessionName(recipient)), recipient);
  }
}

TEST(RelayWayTest, RefusesOtherNames) {
  EXPECT_EQ(RecipientOf(""), std::nullopt);
  EXPECT_EQ(RecipientOf("session-0000"), std::nullopt);
  EXPECT_EQ(RecipientOf("session-00007x"), std::nullopt);
  EXPECT_EQ(RecipientOf("session-1000007"), std::nullopt);
}

TEST(RelayWayTest, WaysAndStepsAreFoundByName) {
  for (const RelayWay& way : AllRelayWays()) EXPECT_EQ(FindRelayWay(way.name), &way);
  for (const Step& step : AllSteps()) EXPECT_EQ(FindStep(step.name), &step);
  EXPECT_EQ(FindRelayWay("pigeon"), nullptr);
  EXPECT_EQ(FindStep("pigeon"), nullptr);
}

}  // namespace
}  // namespace minichat::transports
