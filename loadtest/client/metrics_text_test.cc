#include "loadtest/client/metrics_text.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

constexpr std::string_view kText =
    "# HELP minichat_pulls_total Reads\n"
    "# TYPE minichat_pulls_total counter\n"
    "minichat_pulls_total{cause=\"hole\"} 2\n"
    "minichat_pulls_total{cause=\"sweep\",node=\"a\\\"}b\"} 3.5\n"
    "minichat_sessions 7\n"
    "last_line_without_end 1";

TEST(MetricsSnapshotTest, SumsTheSeriesThatHaveTheLabels) {
  const MetricsSnapshot metrics = MetricsSnapshot::Parse(kText);

  EXPECT_EQ(metrics.Sum("minichat_pulls_total"), 5.5);
  EXPECT_EQ(metrics.Sum("minichat_pulls_total", {{"cause", "hole"}}), 2);
  EXPECT_EQ(metrics.Sum("minichat_pulls_total", {{"node", "a\"}b"}}), 3.5);
  EXPECT_EQ(metrics.Sum("minichat_sessions"), 7);
  EXPECT_EQ(metrics.Sum("last_line_without_end"), 1);
}

TEST(MetricsSnapshotTest, TellsAMissingSeriesFromZero) {
  const MetricsSnapshot metrics = MetricsSnapshot::Parse(kText);

  EXPECT_TRUE(metrics.Has("minichat_pulls_total", {{"cause", "sweep"}}));
  EXPECT_FALSE(metrics.Has("minichat_pulls_total", {{"cause", "join"}}));
  EXPECT_EQ(metrics.Sum("nothing"), 0);
}

}  // namespace
}  // namespace minichat::loadtest
