// The lab's switches on real nodes: exact tasks per message, a pool that grows or doesn't, nothing
// lost.
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "loadtest/smoke/reconcile.h"
#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

using Flags = NodeProcess::Flags;

constexpr std::size_t kNodes = 3;

Flags Classic(const std::string& mode, const Flags& more = {}) {
  Flags flags = {{"lab.enabled", "true"}, {"lab.profile", "classic"}, {"relay.mode", mode}};
  flags.insert(more.begin(), more.end());
  return flags;
}

class LabTest : public ClusterTest {
 protected:
  double Pool(const char* metric) { return cluster().Sum(metric, {{"name", "fanout"}}); }
  // What a caller runs counts as rejected.
  double Tasks() {
    return Pool("executor_completed_tasks_total") + Pool("executor_rejected_tasks_total");
  }
  bool PoolsAreIdle() {
    return Pool("executor_active_threads") == 0 && Pool("executor_queued_tasks") == 0 &&
           cluster().Sum("minichat_queue_depth", {{"queue", "fanout"}}) == 0;
  }
  std::array<double, kNodes> PoolSizes() {
    std::array<double, kNodes> sizes{};
    for (std::size_t i = 0; i < kNodes; ++i) {
      sizes[i] =
          cluster().node(i).Metrics().Sum("executor_pool_size_threads", {{"name", "fanout"}});
    }
    return sizes;
  }
  std::multiset<std::string> ThreadNames(std::size_t node) {
    std::multiset<std::string> names;
    const auto tasks = "/proc/" + std::to_string(cluster().node(node).pid()) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      std::ifstream comm(task.path() / "comm");
      std::string name;
      if (std::getline(comm, name)) names.insert(name);
    }
    return names;
  }

  // By id: all is with everybody once, and stored once. Order is not looked at.
  void ExpectAllThereOnce(const LoadPlan& plan, LoadRun& run) {
    EXPECT_EQ(run.acked(), plan.shape().messages);
    for (const auto& [code, count] : run.errors()) ADD_FAILURE() << count << " sends: " << code;
    const loadtest::Received received = loadtest::CountReceived(plan, run);
    EXPECT_EQ(received.expected, plan.Deliveries());
    EXPECT_EQ(received.got, received.expected);
    EXPECT_EQ(received.lost, 0u);
    EXPECT_EQ(received.twice, 0u);
    EXPECT_EQ(received.strange, 0u);
    const loadtest::RowsByRoom rows = {
        {plan.Room(0), RowsOnce(plan.Room(0), plan.shape().messages)}};
    for (const auto& difference : CompareRows(plan, run, rows)) ADD_FAILURE() << difference;
    EXPECT_EQ(HoleAndSweepPulls(), 0);
    EXPECT_EQ(cluster().Sum("minichat_queue_overflows_total"), 0);
  }
};

struct Counted {
  const char* mode;
  double tasks_per_message;  // of 150 members on three nodes
};

class TasksTest : public LabTest, public testing::WithParamInterface<Counted> {};

std::string NameOfMode(const testing::TestParamInfo<Counted>& info) {
  return info.param.mode;
}

INSTANTIATE_TEST_SUITE_P(EachMode, TasksTest,
                         testing::Values(Counted{"single", 150}, Counted{"bulk", 52}), NameOfMode);

TEST_P(TasksTest, AMessageMakesExactlyTheTasksOfItsMode) {
  StartCluster({.nodes = kNodes, .flags = Classic(GetParam().mode)});
  const loadtest::Cluster description = cluster().Description();
  constexpr std::size_t kMessages = 60;
  const LoadPlan plan(
      {.nodes = kNodes, .rooms = 1, .members = 150, .messages = kMessages, .rate = 15}, NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(30)).ok());
  ASSERT_TRUE(PoolsAreIdle());
  const double before = Tasks();

  run.Send(seconds(30));

  const double expected = GetParam().tasks_per_message * kMessages;
  EXPECT_TRUE(Until([&] { return PoolsAreIdle() && Tasks() - before >= expected; }));
  EXPECT_EQ(Tasks() - before, expected);
  ExpectAllThereOnce(plan, run);
  for (std::size_t i = 0; i < kNodes; ++i) {
    const auto names = ThreadNames(i);
    EXPECT_EQ(names.count("fanout"), 1u);    // who submits
    EXPECT_EQ(names.count("fanout-0"), 1u);  // the first of those that run the tasks
  }
}

class GrowthTest : public LabTest {
 protected:
  // 20 messages a second for 42 members: 2·20·42·0.06/9 = 11 calls under way per node in single,
  // more than there are threads; less than one in bulk.
  std::array<double, kNodes> SizesAfterRun(const std::string& mode) {
    StartCluster({.nodes = kNodes,
                  .flags = Classic(mode, {{"lab.executor.core", "4"},
                                          {"lab.executor.max", "8"},
                                          {"lab.executor.queue", "40"},
                                          {"lab.fault.relay_delay", "60ms"}})});
    const loadtest::Cluster description = cluster().Description();
    const LoadPlan plan({.nodes = kNodes, .rooms = 1, .members = 42, .messages = 120, .rate = 20},
                        NewRoom());
    LoadRun run(loop(), description, plan);
    EXPECT_TRUE(run.Connect(seconds(15)).ok());
    run.Send(seconds(30));
    ExpectAllThereOnce(plan, run);
    EXPECT_GE(run.DeliveryLatency().max, 60);
    return PoolSizes();
  }
};

TEST_F(GrowthTest, InSingleTheHeldThreadsMakeThePoolGrowToItsMaximum) {
  EXPECT_EQ(SizesAfterRun("single"), (std::array<double, kNodes>{8, 8, 8}));
}

TEST_F(GrowthTest, InBulkThePoolStaysAtItsCore) {
  EXPECT_EQ(SizesAfterRun("bulk"), (std::array<double, kNodes>{4, 4, 4}));
}

TEST_F(LabTest, ASwitchOfTheModeUnderLoadWithThePoolLosesAndRepeatsNothing) {
  StartCluster({.nodes = kNodes, .flags = Classic("bulk")});
  const loadtest::Cluster description = cluster().Description();
  const loadtest::ClusterAdmin admin(description);
  const LoadPlan plan({.nodes = kNodes, .rooms = 1, .members = 12, .messages = 600, .rate = 100},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  const auto start = Clock::now();
  constexpr std::array kModes = {"single", "bulk", "single", "bulk"};
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    loop().At(start + milliseconds(500) + milliseconds(1'300) * i,
              [&admin, i, kModes] { EXPECT_TRUE(admin.SetClusterMode(kModes[i]).ok()); });
  }

  run.Send(seconds(30));

  ExpectAllThereOnce(plan, run);
  for (const std::string mode : {"bulk", "single"}) {
    EXPECT_GT(cluster().Sum("minichat_relay_calls_total", {{"mode", mode}, {"code", "OK"}}), 0);
  }
  EXPECT_FALSE(admin.SetClusterMode("stream").ok());  // a pool can't
  EXPECT_TRUE(admin.SetClusterMode(std::nullopt).ok());
}

TEST_F(LabTest, OtherSwitchesTogetherKeepOrderWhileRepairIsOn) {
  StartCluster({.nodes = kNodes,
                .flags = Classic("single", {{"lab.repair", "on"},
                                            {"lab.deadline", "none"},
                                            {"lab.server_workers", "8"}})});
  const loadtest::Cluster description = cluster().Description();
  const LoadPlan plan({.nodes = kNodes, .rooms = 1, .members = 12, .messages = 150, .rate = 50},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());

  run.Send(seconds(30));

  ExpectComplete(plan, run);
  EXPECT_EQ(cluster().Sum("executor_pool_size_threads", {{"name", "relay_server"}}), 24);
}

// 300 messages make 15,000 tasks on each node, of which two a second end.
TEST_F(LabTest, WhatThePoolCanNotTakeIsRefusedAndTheNodesStillStopInTime) {
  StartCluster({.nodes = kNodes,
                .flags = Classic("single", {{"lab.executor.core", "1"},
                                            {"lab.executor.max", "1"},
                                            {"lab.executor.queue", "1"},
                                            {"lab.fault.relay_delay", "1s"}})});
  const loadtest::Cluster description = cluster().Description();
  const LoadPlan plan({.nodes = kNodes, .rooms = 1, .members = 150, .messages = 300, .rate = 100},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(30)).ok());

  run.Send(seconds(2));

  const auto refused = run.errors().find("overloaded");
  ASSERT_NE(refused, run.errors().end());
  EXPECT_EQ(run.errors().size(), 1u);
  EXPECT_EQ(run.acked() + refused->second, plan.shape().messages);
  EXPECT_EQ(cluster().Sum("minichat_queue_overflows_total"), 0);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < kNodes; ++i) cluster().node(i).Terminate();
  for (std::size_t i = 0; i < kNodes; ++i) EXPECT_EQ(cluster().node(i).WaitForEnd(seconds(15)), 0);
  EXPECT_LT(Clock::now() - start, seconds(10));
}

TEST_F(LabTest, WithoutItThereIsNoPool) {
  StartCluster();
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  auto bob = OpenIn(1, "bob", room);

  ASSERT_TRUE(SendAndWait(*ann, room, "c-1", "hi").ok());
  ASSERT_TRUE(Until([&] { return bob->room(room).deliveries.size() == 1; }));

  for (std::size_t i = 0; i < kNodes; ++i) {
    const auto metrics = cluster().node(i).Metrics();
    EXPECT_FALSE(metrics.Has("executor_pool_size_threads", {{"name", "fanout"}}));
    EXPECT_FALSE(metrics.Has("executor_pool_size_threads", {{"name", "relay_server"}}));
    EXPECT_EQ(ThreadNames(i).count("fanout"), 0u);
  }
}

}  // namespace
}  // namespace minichat::test
