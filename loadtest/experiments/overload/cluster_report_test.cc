#include "loadtest/experiments/overload/cluster_report.h"

#include <cmath>

#include <gtest/gtest.h>

#include "loadtest/experiments/overload/cluster_figures.h"

namespace minichat::lab {
namespace {

using Names = std::vector<std::string>;

ClusterPhase Phase(const std::string& name, double from_s, double to_s) {
  ClusterPhase phase;
  phase.name = name;
  phase.from_s = from_s;
  phase.to_s = phase.drained_s = to_s;
  phase.rate = 1'000;
  phase.sent = phase.acked = 5'000;
  phase.delivery_p95_ms = 10;
  return phase;
}

// Five seconds of calm, nine of overload, six after it.
ClusterResult Expected() {
  ClusterResult result;
  result.capacity = 2'000;
  result.phases = {Phase("calm", 0, 5), Phase("overload", 5, 14), Phase("after", 14, 20)};
  result.phases[1].errors = {{"overloaded", 4'000}};
  result.phases[1].sent = 9'000;
  result.phases[1].refusal_p50_ms = 2;
  result.phases[1].refusal_p99_ms = 20;
  for (int i = 1; i <= 20; ++i) {
    const bool overload = i > 5 && i <= 14;
    result.seconds.push_back({static_cast<double>(i), 1'000, 500, overload ? 500u : 0u,
                              overload ? 300.0 : 10.0, overload ? 120.0 : 100.0});
  }
  result.acked_ids = result.stored_ids = result.logged_ids = 15'000;
  return result;
}

Names BrokenChecks(const ClusterResult& result, Times times = Times::kMustHold) {
  report::ReportDocument document;
  AddCluster("cluster", ClusterPlan::Full(), result, times, &document);
  Names broken;
  for (const report::Check& check : document.checks) {
    if (!check.ok && !check.finding_only) broken.push_back(check.name);
  }
  return broken;
}

TEST(ClusterReportTest, HoldsWhenAllIsAsExpected) {
  EXPECT_EQ(BrokenChecks(Expected()), Names{});
  EXPECT_EQ(RecoverySeconds(Expected(), 100), 0);
}

TEST(ClusterReportTest, NoticesAnAckedMessageThatIsNotStored) {
  ClusterResult result = Expected();
  result.acked_not_stored = 1;

  EXPECT_EQ(BrokenChecks(result), Names{"cluster: acked ids that Postgres lacks"});
}

TEST(ClusterReportTest, NoticesMemoryThatGrows) {
  ClusterResult result = Expected();
  result.seconds[12].memory_mib = 150;

  EXPECT_EQ(BrokenChecks(result), Names{"cluster: memory in the last third of the overload"});
}

TEST(ClusterReportTest, NoticesUnclearRefusals) {
  ClusterResult result = Expected();
  result.phases[1].errors["unknown"] = 1;

  EXPECT_EQ(BrokenChecks(result),
            Names{"cluster: answers at twice the capacity that are neither ack nor a clear "
                  "refusal"});
}

TEST(ClusterReportTest, NoticesSlowRefusals) {
  ClusterResult result = Expected();
  result.phases[1].refusal_p99_ms = 50;

  EXPECT_EQ(BrokenChecks(result), Names{"cluster: refusals' p99 at twice the capacity"});
  EXPECT_EQ(BrokenChecks(result, Times::kQuick), Names{});

  result.phases[1].refusal_p50_ms = 50;
  EXPECT_EQ(BrokenChecks(result, Times::kQuick), Names{"cluster: half of the refusals"});
}

TEST(ClusterReportTest, NoticesThatNothingIsRefused) {
  ClusterResult result = Expected();
  result.phases[1].errors.clear();

  EXPECT_EQ(BrokenChecks(result), Names{"cluster: refused at twice the capacity"});
}

TEST(ClusterReportTest, HasRecoveredWithTwoGoodSecondsInARow) {
  ClusterResult result = Expected();
  result.seconds[15].p95_ms = 200;  // the second that ends 16 s after the start, 2 s after the fall
  result.seconds[14].refused = 10;  // of 1,000: few enough
  EXPECT_EQ(RecoverySeconds(result, 100), 2);

  for (const std::size_t bad : {17u, 19u}) result.seconds[bad].refused = 11;
  EXPECT_TRUE(std::isnan(RecoverySeconds(result, 100)));
  EXPECT_EQ(BrokenChecks(result), Names{"cluster: recovered after the load falls"});
}

TEST(ClusterReportTest, NoticesALateRecovery) {
  ClusterResult result = Expected();
  for (std::size_t i = 14; i < 18; ++i) result.seconds[i].p95_ms = 200;
  result.phases[1].to_s = 12.5;

  EXPECT_EQ(RecoverySeconds(result, 100), 5.5);
  EXPECT_EQ(BrokenChecks(result), Names{"cluster: recovered after the load falls"});
}

}  // namespace
}  // namespace minichat::lab
