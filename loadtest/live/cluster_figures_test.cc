#include "loadtest/live/cluster_figures.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using std::chrono::seconds;

// A node's answer in a few figures.
struct Node {
  std::string mode = "bulk";
  double acked = 0;
  double calls = 0;
  double tasks = 0;
  double cpu = 0;
  double threads = 0;
  double own_tasks = 0;  // that their submitter had to run
};

NodeScrape ScrapeOf(const std::string& name, const Node& node) {
  const std::string text =
      "minichat_relay_mode{mode=\"bulk\"} " + std::to_string(node.mode == "bulk") +
      "\nminichat_relay_mode{mode=\"single\"} " + std::to_string(node.mode == "single") +
      "\nminichat_messages_acked_total " + std::to_string(node.acked) +
      "\nminichat_relay_calls_total{mode=\"bulk\",code=\"OK\"} " + std::to_string(node.calls) +
      "\nexecutor_completed_tasks_total{name=\"fanout\"} " + std::to_string(node.tasks) +
      "\nexecutor_rejected_tasks_total{name=\"fanout\"} " + std::to_string(node.own_tasks) +
      "\nexecutor_completed_tasks_total{name=\"store\"} 1000" +
      "\nexecutor_pool_size_threads{name=\"fanout\"} " + std::to_string(node.threads) +
      "\nprocess_cpu_seconds_total " + std::to_string(node.cpu) + "\n";
  return {name, MetricsSnapshot::Parse(text)};
}

class FiguresFromScrapesTest : public testing::Test {
 protected:
  ClusterFigures Add(const Node& first, const Node& second) {
    return figures_.Add(now_ += seconds(1), {ScrapeOf("n1", first), ScrapeOf("n2", second)});
  }

  FiguresFromScrapes figures_;
  FiguresFromScrapes::Time now_;
};

TEST_F(FiguresFromScrapesTest, RatiosAreOfAllNodesAndTheLastSeconds) {
  EXPECT_FALSE(Add({}, {}).calls_per_message);

  const auto figures =
      Add({.acked = 10, .calls = 15, .tasks = 100, .cpu = 0.25, .threads = 30},
          {.acked = 0, .calls = 5, .tasks = 40, .cpu = 0.5, .threads = 31, .own_tasks = 10});

  EXPECT_EQ(figures.calls_per_message, 2);
  EXPECT_EQ(figures.tasks_per_message, 15);
  ASSERT_EQ(figures.nodes.size(), 2U);
  EXPECT_EQ(figures.nodes[0].cpu_share, 0.25);
  EXPECT_EQ(figures.nodes[1].cpu_share, 0.5);
  EXPECT_EQ(figures.nodes[1].threads, 31);
  EXPECT_EQ(figures.mode, "bulk");
}

TEST_F(FiguresFromScrapesTest, WhatIsOlderThanTheWindowNoLongerCounts) {
  Add({}, {});
  Add({.acked = 10, .calls = 100}, {});
  for (int i = 0; i < 3; ++i) Add({.acked = 10, .calls = 100}, {});

  EXPECT_EQ(Add({.acked = 20, .calls = 120}, {}).calls_per_message, 2);
}

TEST_F(FiguresFromScrapesTest, NodesInTwoModesAreMixed) {
  EXPECT_EQ(Add({.mode = "bulk"}, {.mode = "single"}).mode, "mixed");
  EXPECT_EQ(Add({.mode = "single"}, {.mode = "single"}).mode, "single");
}

TEST_F(FiguresFromScrapesTest, ANodeThatIsDownOrBeganAnewLeavesNoRatio) {
  Add({.acked = 10, .calls = 10}, {.acked = 10, .calls = 10});
  const auto down =
      figures_.Add(now_ += seconds(1), {ScrapeOf("n1", {.acked = 20, .calls = 20}), {"n2", {}}});
  EXPECT_FALSE(down.nodes[1].up);
  EXPECT_FALSE(down.calls_per_message);
  EXPECT_EQ(down.mode, "bulk");

  EXPECT_FALSE(Add({.acked = 30, .calls = 30}, {.acked = 1, .calls = 1}).calls_per_message);
}

}  // namespace
}  // namespace minichat::loadtest
