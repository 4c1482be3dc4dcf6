#include "server/base/fed_executor.h"

#include <array>
#include <atomic>
#include <latch>
#include <semaphore>
#include <string>

#include <gtest/gtest.h>
#include <pthread.h>

namespace minichat {
namespace {

std::string ThreadName() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

// Tasks that hold their thread until Open().
struct Gate {
  FedExecutor::Task Task() {
    return {[this] {
              started.release();
              opened.wait();
              ran.fetch_add(1);
            },
            [this] { refused.fetch_add(1); }};
  }
  void WaitForStarted(int count) {
    for (int i = 0; i < count; ++i) started.acquire();
  }
  void Open() { opened.count_down(); }

  std::counting_semaphore<> started{0};
  std::latch opened{1};
  std::atomic<int> ran = 0;
  std::atomic<int> refused = 0;
};

class FedExecutorTest : public testing::Test {
 protected:
  double Read(const std::string& series) {
    const std::string text = metrics_.Serialize();
    const auto at = text.find(series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 1));
  }

  MetricsRegistry metrics_;
  ExecutorOptions options_{.name = "test", .core_threads = 1, .max_threads = 1, .queue_tasks = 1};
};

TEST_F(FedExecutorTest, TheThreadOfItsNameRunsWhatTheCallerHasToRun) {
  options_.overflow = Overflow::kCallerRuns;
  Gate gate;
  FedExecutor fed(options_, 10, metrics_);
  ASSERT_TRUE(fed.HandOver(gate.Task()));
  gate.WaitForStarted(1);
  ASSERT_TRUE(fed.HandOver(gate.Task()));  // fills the executor's queue
  std::string ran_on;
  std::latch done{1};

  ASSERT_TRUE(fed.HandOver({[&] {
                              ran_on = ThreadName();
                              done.count_down();
                            },
                            [] {}}));

  done.wait();
  EXPECT_EQ(ran_on, "test");
  EXPECT_EQ(Read("executor_rejected_tasks_total{name=\"test\"}"), 1);
  gate.Open();
  fed.Stop();
  EXPECT_EQ(gate.ran, 2);
  EXPECT_EQ(Read("executor_completed_tasks_total{name=\"test\"}"), 2);
}

TEST_F(FedExecutorTest, AFullQueueRefusesAtOnceWhileTheFeederIsHeld) {
  options_.overflow = Overflow::kCallerRuns;
  Gate gate;
  FedExecutor fed(options_, 2, metrics_);
  // One on the pool's thread and, with its queue full, one on the feeder.
  ASSERT_TRUE(fed.HandOver(gate.Task()));
  gate.WaitForStarted(1);
  ASSERT_TRUE(fed.HandOver(gate.Task()));
  ASSERT_TRUE(fed.HandOver(gate.Task()));
  gate.WaitForStarted(1);
  EXPECT_FALSE(fed.filling());

  EXPECT_TRUE(fed.HandOver(gate.Task()));
  EXPECT_TRUE(fed.HandOver(gate.Task()));
  EXPECT_TRUE(fed.filling());
  EXPECT_FALSE(fed.HandOver(gate.Task()));

  EXPECT_EQ(Read("minichat_queue_depth{queue=\"test\"}"), 2);
  EXPECT_EQ(Read("minichat_queue_overflows_total{queue=\"test\"}"), 1);
  gate.Open();
  fed.Stop();
  EXPECT_EQ(gate.ran, 5);
  EXPECT_EQ(gate.refused, 0);
  EXPECT_EQ(Read("minichat_queue_depth{queue=\"test\"}"), 0);
}

TEST_F(FedExecutorTest, WhatTheExecutorRejectsIsToldToTheTask) {
  Gate gate;
  FedExecutor fed(options_, 10, metrics_);
  ASSERT_TRUE(fed.HandOver(gate.Task()));
  gate.WaitForStarted(1);
  ASSERT_TRUE(fed.HandOver(gate.Task()));
  std::latch refused{1};
  bool ran = false;

  ASSERT_TRUE(fed.HandOver({[&] { ran = true; }, [&] { refused.count_down(); }}));

  refused.wait();
  gate.Open();
  fed.Stop();
  EXPECT_FALSE(ran);
  EXPECT_EQ(gate.ran, 2);
}

TEST_F(FedExecutorTest, StopRunsWhatWasTakenAndTakesNoMore) {
  Gate gate;
  options_.queue_tasks = 10;
  FedExecutor fed(options_, 10, metrics_);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(fed.HandOver(gate.Task()));
  gate.Open();

  fed.Stop();

  EXPECT_EQ(gate.ran, 5);
  EXPECT_FALSE(fed.HandOver(gate.Task()));
}

}  // namespace
}  // namespace minichat
