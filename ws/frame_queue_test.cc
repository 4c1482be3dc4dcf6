#include "ws/frame_queue.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

TEST(FrameQueueTest, OldestFirstThroughAnyMixOfPushesAndPops) {
  FrameQueue queue;
  int pushed = 0, popped = 0;
  for (std::size_t round = 1; round <= 100; ++round) {
    for (std::size_t i = 0; i < round % 7 + 3; ++i) {
      queue.Push(std::make_shared<const std::string>(std::to_string(pushed++)), {});
    }
    const std::size_t count = std::min(queue.size(), round % 9 + 1);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      ASSERT_EQ(*queue[i].frame, std::to_string(popped + static_cast<int>(i)));
    }
    queue.Pop(count);
    popped += static_cast<int>(count);
    ASSERT_EQ(queue.size(), static_cast<std::size_t>(pushed - popped));
    if (queue.empty()) continue;
    ASSERT_EQ(*queue.front().frame, std::to_string(popped));
  }
  queue.Clear();
  EXPECT_TRUE(queue.empty());
}

TEST(FrameQueueTest, APoppedFrameIsLetGo) {
  FrameQueue queue;
  const Frame frame = std::make_shared<const std::string>("x");
  for (int i = 0; i < 4; ++i) queue.Push(frame, {});

  queue.Pop(1);
  EXPECT_EQ(frame.use_count(), 4);
  queue.Clear();
  EXPECT_EQ(frame.use_count(), 1);
}

}  // namespace
}  // namespace minichat::ws
