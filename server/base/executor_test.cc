#include "server/base/executor.h"

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>

namespace minichat {
namespace {

// Tasks that hold their thread until Open().
class Gate {
 public:
  Executor::Work Task() {
    return [this] {
      started_.fetch_add(1);
      started_.notify_all();
      opened_.wait();
    };
  }
  void WaitForStarted(int count) {
    for (int seen = started_; seen < count; seen = started_) started_.wait(seen);
  }
  void Open() { opened_.count_down(); }

 private:
  std::atomic<int> started_ = 0;
  std::latch opened_{1};
};

class ExecutorTest : public testing::Test {
 protected:
  double Read(const std::string& name) {
    const std::string text = metrics_.Serialize();
    const std::string key = name + "{name=\"test\"} ";
    const auto at = text.find(key);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + key.size()));
  }

  MetricsRegistry metrics_;
  ExecutorOptions options_{.name = "test", .core_threads = 2, .max_threads = 3, .queue_tasks = 2};
};

TEST_F(ExecutorTest, GrowsToCoreThenQueuesThenGrowsToMaxThenRefuses) {
  Gate gate;
  Executor executor(options_, metrics_);

  ASSERT_TRUE(executor.Submit(gate.Task()));
  EXPECT_EQ(executor.threads(), 1u);
  ASSERT_TRUE(executor.Submit(gate.Task()));
  EXPECT_EQ(executor.threads(), 2u);
  gate.WaitForStarted(2);

  ASSERT_TRUE(executor.Submit(gate.Task()));
  ASSERT_TRUE(executor.Submit(gate.Task()));
  EXPECT_EQ(executor.threads(), 2u);
  EXPECT_EQ(executor.queued(), 2u);

  ASSERT_TRUE(executor.Submit(gate.Task()));
  EXPECT_EQ(executor.threads(), 3u);
  EXPECT_FALSE(executor.Submit(gate.Task()));

  gate.WaitForStarted(3);
  EXPECT_EQ(Read("executor_pool_size_threads"), 3);
  EXPECT_EQ(Read("executor_active_threads"), 3);
  EXPECT_EQ(Read("executor_queued_tasks"), 2);
  EXPECT_EQ(Read("executor_rejected_tasks_total"), 1);
  gate.Open();
  executor.Stop();
  EXPECT_EQ(Read("executor_completed_tasks_total"), 5);
  EXPECT_EQ(Read("executor_active_threads"), 0);
  EXPECT_EQ(Read("executor_queued_tasks"), 0);
  EXPECT_EQ(Read("executor_pool_size_threads"), 0);
}

TEST_F(ExecutorTest, CallerRunsTheTaskWhenAllIsFull) {
  options_.overflow = Overflow::kCallerRuns;
  Gate gate;
  Executor executor(options_, metrics_);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(executor.Submit(gate.Task()));
  std::thread::id ran_on;

  EXPECT_TRUE(executor.Submit([&] { ran_on = std::this_thread::get_id(); }));

  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_EQ(Read("executor_rejected_tasks_total"), 1);
  gate.Open();
}

TEST_F(ExecutorTest, ThreadAboveCoreEndsAfterItsKeepAlive) {
  options_.keep_alive = std::chrono::milliseconds(1);
  Gate gate;
  Executor executor(options_, metrics_);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(executor.Submit(gate.Task()));
  gate.WaitForStarted(3);
  ASSERT_EQ(executor.threads(), 3u);

  gate.Open();

  while (executor.threads() != 2) std::this_thread::yield();  // ends with the test's time limit
  EXPECT_TRUE(executor.Submit([] {}));
  executor.Stop();
  EXPECT_EQ(Read("executor_completed_tasks_total"), 6);
}

TEST_F(ExecutorTest, StopRunsWhatIsQueuedAndRefusesMore) {
  Gate gate;
  std::atomic<int> ran = 0;
  Executor executor(options_, metrics_);
  ASSERT_TRUE(executor.Submit(gate.Task()));
  ASSERT_TRUE(executor.Submit(gate.Task()));
  ASSERT_TRUE(executor.Submit([&] { ++ran; }));
  gate.Open();

  executor.Stop();

  EXPECT_EQ(ran, 1);
  EXPECT_FALSE(executor.Submit([&] { ++ran; }));
  EXPECT_EQ(ran, 1);
  executor.Stop();
}

TEST_F(ExecutorTest, NamesItsThreads) {
  options_.name = "a-rather-long-name";
  options_.core_threads = 1;
  char name[16] = {};
  {
    Executor executor(options_, metrics_);
    ASSERT_TRUE(executor.Submit([&] { pthread_getname_np(pthread_self(), name, sizeof name); }));
  }

  EXPECT_STREQ(name, "a-rather-long-0");
}

TEST_F(ExecutorTest, RunsEachTaskOnceUnderManySubmitters) {
  options_.queue_tasks = 8;
  options_.keep_alive = std::chrono::nanoseconds(1);  // threads come and go all the time
  options_.overflow = Overflow::kCallerRuns;
  constexpr int kTasks = 5'000;
  std::atomic<int> ran = 0;
  Executor executor(options_, metrics_);
  {
    std::vector<std::jthread> submitters;
    submitters.reserve(4);
    for (int t = 0; t < 4; ++t) {
      submitters.emplace_back([&] {
        for (int i = 0; i < kTasks; ++i) executor.Submit([&] { ++ran; });
      });
    }
  }

  executor.Stop();

  EXPECT_EQ(ran, 4 * kTasks);
  EXPECT_EQ(Read("executor_completed_tasks_total") + Read("executor_rejected_tasks_total"),
            4 * kTasks);
}

}  // namespace
}  // namespace minichat
