// What the lab compares: calls that block in a pool, other deadlines, servers with a thread per
// call.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "server/base/fed_executor.h"
#include "tests/support/relay_nodes.h"

namespace minichat::relay {
namespace {

using core::RelayResult;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kThreads[] = "executor_pool_size_threads{name=\"fanout\"}";
constexpr char kActive[] = "executor_active_threads{name=\"fanout\"}";
constexpr char kQueued[] = "executor_queued_tasks{name=\"fanout\"}";
constexpr char kCompleted[] = "executor_completed_tasks_total{name=\"fanout\"}";
constexpr char kRejected[] = "executor_rejected_tasks_total{name=\"fanout\"}";
constexpr char kWaiting[] = "minichat_queue_depth{queue=\"fanout\"}";
constexpr char kInflight[] = "minichat_relay_inflight{peer=\"n2\"}";
constexpr char kBreaker[] = "minichat_breaker_state{peer=\"n2\"}";

double CallsEnded(TestSender& sender, const std::string& mode, const std::string& code) {
  return sender.Metric("minichat_relay_calls_total{code=\"" + code + "\",mode=\"" + mode +
                       "\",peer=\"n2\"}");
}

// It holds what it is told to hold, however slow the machine is.
RelayServerOptions PatientServer() {
  RelayServerOptions options;
  options.longest_call = seconds(60);
  return options;
}

class PoolTest : public ::testing::Test {
 protected:
  // The pool is made at the first use.
  GrpcRelayOptions InMode(RelayMode mode) {
    pool_ = std::make_unique<FedExecutor>(executor_, waiting_, metrics_);
    GrpcRelayOptions options = PatientOptions(mode);
    options.lab.pool = pool_.get();
    options.lab.can_stream = false;
    return options;
  }
  double Metric(const std::string& series) { return MetricValue(metrics_, series); }
  // A task is counted when it has ended, a little after its result is there.
  bool WaitForTasks(TestSender& sender, double count) {
    return sender.core.WaitFor([&] { return Metric(kCompleted) + Metric(kRejected) == count; });
  }

  MetricsRegistry metrics_;
  ExecutorOptions executor_{.name = "fanout",
                            .core_threads = 2,
                            .max_threads = 4,
                            .queue_tasks = 3,
                            .overflow = Overflow::kCallerRuns};
  std::size_t waiting_ = 1000;
  std::unique_ptr<FedExecutor> pool_;  // outlives the senders of the tests
};

TEST_F(PoolTest, SingleMakesOneTaskPerRecipient) {
  TestServer n2("n2");
  TestSender sender(InMode(RelayMode::kSingle));
  sender.SetPeers({n2.entry});

  EXPECT_EQ(sender.Deliver(n2.entry, 50), All(50, RelayResult::kQueued));

  EXPECT_TRUE(WaitForTasks(sender, 50));
  EXPECT_EQ(n2.Calls().size(), 50u);
  EXPECT_EQ(CallsEnded(sender, "single", "OK"), 50);
}

TEST_F(PoolTest, BulkMakesOneTaskPerNode) {
  TestServer n2("n2");
  TestSender sender(InMode(RelayMode::kBulk));
  sender.SetPeers({n2.entry});

  EXPECT_EQ(sender.Deliver(n2.entry, 50), All(50, RelayResult::kQueued));

  EXPECT_TRUE(WaitForTasks(sender, 1));
  ASSERT_EQ(n2.Calls().size(), 1u);
  EXPECT_EQ(n2.Calls()[0].recipients, Sessions(50));
  EXPECT_EQ(*n2.Calls()[0].event->encoded, *MakeEvent()->encoded);
}

TEST_F(PoolTest, AThreadIsHeldUntilTheAnswerAndThePoolGrowsFromCoreOverQueueToMax) {
  TestServer n2("n2", PatientServer());
  TestSender sender(InMode(RelayMode::kSingle));
  sender.SetPeers({n2.entry});
  n2.SetFault({.stall = true});

  auto five = sender.Start(n2.entry, Sessions(5));  // two threads, three in the queue
  EXPECT_TRUE(sender.core.WaitFor([&] { return Metric(kActive) == 2 && Metric(kQueued) == 3; }));
  EXPECT_EQ(Metric(kThreads), 2);
  auto four = sender.Start(n2.entry, Sessions(4));  // two more threads, the caller, and one waits
  EXPECT_TRUE(sender.core.WaitFor([&] { return Metric(kActive) == 4 && Metric(kRejected) == 1; }));
  EXPECT_EQ(Metric(kThreads), 4);
  EXPECT_EQ(Metric(kWaiting), 1);

  n2.Shutdown();
  EXPECT_EQ(five.get(), All(5, RelayResult::kFailed));
  EXPECT_EQ(four.get(), All(4, RelayResult::kFailed));
  EXPECT_TRUE(WaitForTasks(sender, 9));
}

TEST_F(PoolTest, WhatThePoolRejectsFailsAndIsNoTroubleOfThePeer) {
  executor_.overflow = Overflow::kReject;
  TestServer n2("n2", PatientServer());
  GrpcRelayOptions options = InMode(RelayMode::kSingle);
  options.breaker.failures_to_open = 1;
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  n2.SetFault({.stall = true});

  auto results = sender.Start(n2.entry, Sessions(20));  // four threads, three places in the queue

  EXPECT_TRUE(sender.core.WaitFor([&] { return CallsEnded(sender, "single", "CANCELLED") == 13; }));
  EXPECT_EQ(Metric(kRejected), 13);
  EXPECT_EQ(sender.Metric(kInflight), 7);
  EXPECT_EQ(sender.Metric(kBreaker), 0);
  n2.Shutdown();
  EXPECT_EQ(results.get(), All(20, RelayResult::kFailed));
}

TEST_F(PoolTest, TheCoreThreadNeverWaitsForThePool) {
  waiting_ = 2;
  executor_.max_threads = 2;
  TestServer n2("n2", PatientServer());
  TestSender sender(InMode(RelayMode::kSingle));
  sender.SetPeers({n2.entry});
  n2.SetFault({.stall = true});
  // Two threads, three places in the queue, and the thread that submits.
  std::vector<std::future<Results>> held;
  for (int i = 0; i < 6; ++i) {
    held.push_back(sender.Start(n2.entry, Sessions(1)));
    ASSERT_TRUE(sender.core.WaitFor([&] { return Metric(kWaiting) == 0; }));
  }
  ASSERT_TRUE(sender.core.WaitFor([&] { return Metric(kRejected) == 1; }));

  auto more = sender.Start(n2.entry, Sessions(10, "t"));
  sender.core.Run([] {});  // it turns

  EXPECT_EQ(Metric("minichat_queue_overflows_total{queue=\"fanout\"}"), 8);
  EXPECT_TRUE(sender.core.WaitFor([&] { return CallsEnded(sender, "single", "CANCELLED") == 8; }));
  n2.Shutdown();
  for (auto& one : held) EXPECT_EQ(one.get(), All(1, RelayResult::kFailed));
  EXPECT_EQ(more.get(), All(10, RelayResult::kFailed));
}

TEST_F(PoolTest, ACallWhoseTimeIsOverBeforeItsTurnIsNotMadeAndIsNoTroubleOfThePeer) {
  executor_ = {.name = "fanout", .core_threads = 1, .max_threads = 1, .queue_tasks = 10};
  TestServer n2("n2", PatientServer());
  GrpcRelayOptions options = InMode(RelayMode::kSingle);
  options.breaker.failures_to_open = 2;
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  n2.SetFault({.stall = true});
  auto held = sender.Start(n2.entry, Sessions(1));  // holds the one thread
  ASSERT_TRUE(sender.core.WaitFor([&] { return Metric(kActive) == 1; }));

  const TimePoint over = sender.core.scheduler.Now() + milliseconds(200);
  auto late = sender.Start(n2.entry, Sessions(4, "t"), milliseconds(200));
  ASSERT_TRUE(sender.core.WaitFor([&] { return sender.core.scheduler.Now() > over; }));
  n2.Shutdown();

  EXPECT_EQ(late.get(), All(4, RelayResult::kFailed));
  EXPECT_EQ(held.get(), All(1, RelayResult::kFailed));
  EXPECT_EQ(CallsEnded(sender, "single", "CANCELLED"), 4);
  EXPECT_EQ(sender.Metric(kBreaker), 0);
  n2.core.Run([&] { EXPECT_EQ(n2.arrived, 1u); });
}

TEST_F(PoolTest, StopEndsWhatBlocksAndWhatWaitsAlsoWithoutADeadline) {
  executor_ = {.name = "fanout", .core_threads = 2, .max_threads = 2, .queue_tasks = 100};
  TestServer n2("n2");
  n2.SetFault({.stall = true});
  GrpcRelayOptions options = InMode(RelayMode::kSingle);
  options.lab.deadline = CallDeadline::kNone;
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  std::atomic<bool> called_back = false;
  sender.core.Run([&] {
    sender.relay->Deliver(n2.entry.name, n2.entry.incarnation, MakeEvent(), Sessions(20),
                          Deadline::After(sender.core.scheduler, seconds(60)),
                          [&](const Results&) { called_back = true; });
  });
  ASSERT_TRUE(n2.core.WaitFor([&] { return n2.arrived == 2; }));

  const TimePoint start = sender.core.scheduler.Now();
  sender.core.Run([&] { sender.relay->Stop(seconds(5)); });
  pool_->Stop();

  EXPECT_LT(sender.core.scheduler.Now() - start, seconds(4));
  EXPECT_EQ(sender.Metric(kInflight), 0);
  EXPECT_EQ(Metric(kCompleted), 20);
  EXPECT_FALSE(called_back);
}

TEST_F(PoolTest, TheModeIsSwitchedWhileItRunsButNotToStream) {
  TestServer n2("n2");
  TestSender sender(InMode(RelayMode::kBulk));
  sender.SetPeers({n2.entry});
  const auto set = [&](const char* mode) {
    sender.core.Run([&] { sender.relay->OnClusterMode({1, mode}); });
  };

  set("single");
  EXPECT_EQ(sender.Deliver(n2.entry, 5), All(5, RelayResult::kQueued));
  EXPECT_EQ(CallsEnded(sender, "single", "OK"), 5);
  set("stream");
  EXPECT_EQ(sender.Deliver(n2.entry, 5), All(5, RelayResult::kQueued));

  EXPECT_EQ(CallsEnded(sender, "bulk", "OK"), 1);
  EXPECT_EQ(CallsEnded(sender, "stream", "OK"), 0);
  EXPECT_EQ(sender.Metric("minichat_relay_mode{mode=\"bulk\"}"), 1);
}

// A call to a peer that hangs: how long it takes, and who ended it.
struct Stalled {
  Duration took;
  double ended_by_sender;
};

Stalled CallStalledPeer(CallDeadline deadline, Duration message_budget, Duration server_limit) {
  RelayServerOptions server_options;
  server_options.longest_call = server_limit;
  TestServer n2("n2", server_options);
  n2.SetFault({.stall = true});
  GrpcRelayOptions options;
  options.longest_call = milliseconds(100);
  options.lab.deadline = deadline;
  options.lab.fixed_deadline = milliseconds(200);
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  const TimePoint start = sender.core.scheduler.Now();
  EXPECT_EQ(sender.Deliver(n2.entry, 1, message_budget), All(1, RelayResult::kFailed));
  return {sender.core.scheduler.Now() - start, CallsEnded(sender, "bulk", "DEADLINE_EXCEEDED")};
}

TEST(CallDeadlineTest, PropagatedItIsWhatTheMessageHasLeft) {
  const Stalled call = CallStalledPeer(CallDeadline::kPropagate, seconds(5), seconds(60));
  const Stalled late = CallStalledPeer(CallDeadline::kPropagate, milliseconds(1), seconds(60));

  EXPECT_GE(call.took, milliseconds(99));
  EXPECT_LT(call.took, seconds(30));
  EXPECT_EQ(call.ended_by_sender, 1);
  EXPECT_EQ(late.ended_by_sender, 0);  // not made at all
}

TEST(CallDeadlineTest, FixedItIsTheSameWhateverTheMessageHasLeft) {
  const Stalled call = CallStalledPeer(CallDeadline::kFixed, milliseconds(1), seconds(60));

  EXPECT_GE(call.took, milliseconds(199));
  EXPECT_LT(call.took, seconds(30));
  EXPECT_EQ(call.ended_by_sender, 1);
}

TEST(CallDeadlineTest, WithNoneOnlyTheServerEndsIt) {
  const Stalled call = CallStalledPeer(CallDeadline::kNone, milliseconds(1), milliseconds(400));

  EXPECT_GE(call.took, milliseconds(399));
}

class WorkersTest : public ::testing::Test {
 protected:
  static RelayServerOptions Two() {
    RelayServerOptions options = PatientServer();
    options.workers = 2;
    return options;
  }

  TestServer n2_{"n2", Two()};
  TestSender sender_{PatientOptions(RelayMode::kSingle)};
};

TEST_F(WorkersTest, AnswerAsWithoutThem) {
  n2_.core.Run([&] {
    n2_.receiver.special_results = {{"s1", RelayResult::kNotHere}, {"s2", RelayResult::kQueueFull}};
  });
  sender_.SetPeers({n2_.entry});

  EXPECT_EQ(sender_.Deliver(n2_.entry, 4),
            (Results{RelayResult::kQueued, RelayResult::kNotHere, RelayResult::kQueueFull,
                     RelayResult::kQueued}));
  EXPECT_EQ(n2_.Metric("executor_pool_size_threads{name=\"relay_server\"}"), 2);
}

TEST_F(WorkersTest, EachIsHeldByItsCallAndTheOthersWaitUntilShutdownAnswersAll) {
  sender_.SetPeers({n2_.entry});
  n2_.SetFault({.stall = true});

  auto results = sender_.Start(n2_.entry, Sessions(6));
  EXPECT_TRUE(n2_.core.WaitFor([&] {
    return n2_.Metric("executor_active_threads{name=\"relay_server\"}") == 2 &&
           n2_.Metric("executor_queued_tasks{name=\"relay_server\"}") == 4 && n2_.arrived == 2;
  }));
  n2_.Shutdown();

  EXPECT_EQ(results.get(), All(6, RelayResult::kFailed));
  EXPECT_EQ(n2_.Metric("minichat_queue_depth{queue=\"relay_inbound\"}"), 0);
  n2_.core.Run([&] { EXPECT_EQ(n2_.arrived, 2u); });
}

TEST_F(WorkersTest, ADelayedCallIsHandledAndAnsweredAfterTheDelay) {
  sender_.SetPeers({n2_.entry});
  n2_.SetFault({.delay = milliseconds(50)});

  const TimePoint start = sender_.core.scheduler.Now();
  EXPECT_EQ(sender_.Deliver(n2_.entry, 6), All(6, RelayResult::kQueued));

  EXPECT_GE(sender_.core.scheduler.Now() - start, milliseconds(149));  // two at a time
}

}  // namespace
}  // namespace minichat::relay
