#include "ws/outbound_queue.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

using std::chrono::seconds;

class OutboundQueueTest : public testing::Test {
 protected:
  void Push(std::size_t bytes) {
    level_.Add(bytes);
    queue_.Push(std::make_shared<const std::string>(bytes, 'x'), now_);
  }

  MetricsRegistry registry_;
  Gauge& total_ = registry_.AddGauge("bytes", "");
  const OutboundLimits limits_{1000, 8, seconds(10)};
  OutboundQueue::Clock::time_point now_{};
  OutboundLevel level_{limits_};
  OutboundQueue queue_{limits_, level_, total_};
};

TEST_F(OutboundQueueTest, ExceedsByBytes) {
  Push(1000);
  EXPECT_FALSE(queue_.Exceeds(now_));
  Push(1);
  EXPECT_TRUE(queue_.Exceeds(now_));
}

TEST_F(OutboundQueueTest, ExceedsByCount) {
  for (int i = 0; i < 8; ++i) Push(1);
  EXPECT_FALSE(queue_.Exceeds(now_));
  Push(1);
  EXPECT_TRUE(queue_.Exceeds(now_));
}

TEST_F(OutboundQueueTest, ExceedsByAgeOfTheOldest) {
  Push(1);
  EXPECT_FALSE(queue_.Exceeds(now_ + seconds(10)));
  EXPECT_TRUE(queue_.Exceeds(now_ + seconds(11)));
  now_ += seconds(11);
  Push(1);
  queue_.Pop(now_);
  EXPECT_FALSE(queue_.Exceeds(now_));
}

TEST_F(OutboundQueueTest, DuringACatchUpProgressCountsNotAge) {
  ASSERT_TRUE(level_.TakePage());
  Push(1);
  Push(1);
  queue_.Pop(now_ + seconds(9));
  EXPECT_FALSE(queue_.Exceeds(now_ + seconds(18)));
  EXPECT_TRUE(queue_.Exceeds(now_ + seconds(20)));
}

TEST_F(OutboundQueueTest, ANoIsFollowedByOneNoticeBelowAQuarter) {
  Push(400);
  Push(200);
  EXPECT_FALSE(level_.TakePage());
  EXPECT_FALSE(level_.TakeNotice());
  queue_.Pop(now_);
  EXPECT_TRUE(level_.TakeNotice());
  EXPECT_FALSE(level_.TakeNotice());
  EXPECT_TRUE(level_.TakePage());
  queue_.Pop(now_);
  EXPECT_FALSE(level_.TakeNotice());
}

TEST_F(OutboundQueueTest, ClearKeepsWhatIsBeingWrittenAndAllIsAccountedFor) {
  Push(100);
  Push(200);
  EXPECT_EQ(total_.Value(), 300);
  queue_.Clear(1);
  EXPECT_EQ(level_.bytes(), 100u);
  EXPECT_EQ(total_.Value(), 100);
  queue_.Clear(0);
  EXPECT_EQ(level_.frames(), 0u);
  EXPECT_EQ(total_.Value(), 0);
}

}  // namespace
}  // namespace minichat::ws
