#include "server/base/task.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/manual_scheduler.h"

namespace minichat {
namespace {

using std::chrono::milliseconds;
using testing_support::ManualScheduler;

Task<int> Twice(Completion<int> input) {
  co_await input.Wait();
  co_return 2 * input.Take();
}

Task<void> Store(Completion<int> input, int* out) {
  const int doubled = co_await Twice(input);
  *out = doubled;
}

TEST(TaskTest, ResumesWhenTheValueComes) {
  ManualScheduler scheduler;
  TaskScope scope;
  Completion<int> input(scheduler);
  int out = 0;

  scope.Spawn(Store(input, &out));
  EXPECT_EQ(1u, scope.size());
  input.callback()(21);

  EXPECT_EQ(42, out);
  EXPECT_EQ(0u, scope.size());
}

TEST(TaskTest, AValueThatIsThereIsNotWaitedFor) {
  ManualScheduler scheduler;
  TaskScope scope;
  Completion<int> input(scheduler);
  input.Complete(1);
  int out = 0;

  scope.Spawn(Store(input, &out));

  EXPECT_EQ(2, out);
}

TEST(TaskTest, ClearDropsWhatWaitsAndALateValueDoesNothing) {
  ManualScheduler scheduler;
  TaskScope scope;
  Completion<int> input(scheduler);
  const auto late = input.callback();
  int out = 0;
  scope.Spawn(Store(input, &out));

  scope.Clear();
  late(21);

  EXPECT_EQ(0, out);
  EXPECT_EQ(0u, scope.size());
}

Task<void> WaitUntil(Completion<int> input, TimePoint until, std::string* log) {
  const bool in_time = co_await input.WaitUntil(until);
  *log += in_time ? "value " : "time ";
  co_await input.Wait();
  *log += std::to_string(input.Take());
}

TEST(TaskTest, AWaitEndsAtItsTimeAndTheValueMayStillCome) {
  ManualScheduler scheduler;
  TaskScope scope;
  Completion<int> input(scheduler);
  std::string log;

  scope.Spawn(WaitUntil(input, scheduler.Now() + milliseconds(10), &log));
  scheduler.Advance(milliseconds(20));
  EXPECT_EQ("time ", log);
  input.Complete(7);

  EXPECT_EQ("time 7", log);
}

Task<void> Append(Scheduler& scheduler, std::vector<int>* out, int value, Duration delay) {
  co_await Sleep(scheduler, delay);
  out->push_back(value);
}

TEST(TaskTest, SleepersWakeInTheOrderOfTheirTimes) {
  ManualScheduler scheduler;
  TaskScope scope;
  std::vector<int> out;
  scope.Spawn(Append(scheduler, &out, 2, milliseconds(20)));
  scope.Spawn(Append(scheduler, &out, 1, milliseconds(10)));
  scope.Spawn(Append(scheduler, &out, 3, milliseconds(30)));

  scheduler.Advance(milliseconds(25));

  EXPECT_EQ((std::vector<int>{1, 2}), out);
  EXPECT_EQ(1u, scope.size());
}

}  // namespace
}  // namespace minichat
