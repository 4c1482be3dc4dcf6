#include "server/base/bounded_queue.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace minichat {
namespace {

TEST(BoundedQueueTest, GivesItemsInTheOrderTheyCame) {
  BoundedQueue<int> queue(10, 100);

  ASSERT_TRUE(queue.TryPush(1));
  ASSERT_TRUE(queue.TryPush(2));

  EXPECT_EQ(queue.Pop({}), 1);
  EXPECT_EQ(queue.Pop({}), 2);
}

TEST(BoundedQueueTest, RefusesAndCountsAboveItsItems) {
  BoundedQueue<int> queue(2, 100);
  ASSERT_TRUE(queue.TryPush(1));
  ASSERT_TRUE(queue.TryPush(2));

  EXPECT_FALSE(queue.TryPush(3));

  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.overflows(), 1u);
}

TEST(BoundedQueueTest, RefusesAboveItsBytesAndTakesAgainWhenThereIsRoom) {
  BoundedQueue<int> queue(10, 100);
  ASSERT_TRUE(queue.TryPush(1, 60));

  EXPECT_FALSE(queue.TryPush(2, 41));
  EXPECT_EQ(queue.bytes(), 60u);
  EXPECT_EQ(queue.Pop({}), 1);

  EXPECT_TRUE(queue.TryPush(2, 100));
  EXPECT_EQ(queue.bytes(), 100u);
}

TEST(BoundedQueueTest, LeavesARefusedItemWithItsOwner) {
  BoundedQueue<std::unique_ptr<int>> queue(1, 100);
  ASSERT_TRUE(queue.TryPush(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);

  EXPECT_FALSE(queue.TryPush(std::move(second)));

  // That it was not moved is what is tested.
  EXPECT_TRUE(second != nullptr && *second == 2);  // NOLINT(bugprone-use-after-move)
}

TEST(BoundedQueueTest, StopEndsAWaitButGivesWhatIsThere) {
  BoundedQueue<int> queue(10, 100);
  std::stop_source stop;
  std::optional<int> got = 0;
  std::jthread waiter([&] { got = queue.Pop(stop.get_token()); });

  stop.request_stop();
  waiter.join();

  EXPECT_EQ(got, std::nullopt);
  ASSERT_TRUE(queue.TryPush(7));
  EXPECT_EQ(queue.Pop(stop.get_token()), 7);
}

TEST(BoundedQueueTest, PopForGivesUpAfterItsTime) {
  BoundedQueue<int> queue(10, 100);

  EXPECT_EQ(queue.PopFor(std::chrono::milliseconds(1), {}), std::nullopt);
}

TEST(BoundedQueueTest, LosesNothingBetweenManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kItems = 10'000;
  BoundedQueue<int> queue(64, 1'000);
  std::atomic<std::int64_t> sum = 0;
  std::atomic<int> count = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 1; i <= kItems; ++i) {
          while (!queue.TryPush(int{i}, 10)) std::this_thread::yield();
        }
      });
      threads.emplace_back([&](std::stop_token) {
        for (int i = 0; i < kItems; ++i) {
          sum += *queue.Pop({});
          ++count;
        }
      });
    }
  }

  EXPECT_EQ(count, kThreads * kItems);
  EXPECT_EQ(sum, std::int64_t{kThreads} * kItems * (kItems + 1) / 2);
  EXPECT_EQ(queue.bytes(), 0u);
}

}  // namespace
}  // namespace minichat
