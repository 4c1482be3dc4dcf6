#include "storage/kafka/partition_buffer.h"

#include <gtest/gtest.h>

namespace minichat::kafka {
namespace {

using std::chrono::milliseconds;

class PartitionBufferTest : public testing::Test {
 protected:
  void Add(std::int64_t offset, std::size_t bytes = 10) {
    core::ConsumedRecord record;
    record.offset = offset;
    buffer_.Add(std::move(record), bytes);
  }
  std::vector<std::int64_t> Next(TimePoint now = {}) {
    std::vector<std::int64_t> offsets;
    for (const auto& record : buffer_.Next(now)) offsets.push_back(record.offset);
    return offsets;
  }
  using Offsets = std::vector<std::int64_t>;

  PartitionBuffer buffer_{{.batch_records = 3,
                           .batch_bytes = 100,
                           .buffer_records = 4,
                           .buffer_bytes = 200,
                           .first_retry = milliseconds(100),
                           .max_retry = milliseconds(300)}};
};

TEST_F(PartitionBufferTest, CutsBatchesByRecords) {
  for (int i = 0; i < 5; ++i) Add(i);

  EXPECT_EQ(Next(), (Offsets{0, 1, 2}));
  EXPECT_EQ(buffer_.OnStored(), 3);
  EXPECT_EQ(Next(), (Offsets{3, 4}));
}

TEST_F(PartitionBufferTest, CutsBatchesByBytesButGivesAtLeastOneRecord) {
  Add(0, 150);
  Add(1, 60);
  Add(2, 60);

  EXPECT_EQ(Next(), Offsets{0});
  buffer_.OnStored();
  EXPECT_EQ(Next(), Offsets{1});
}

TEST_F(PartitionBufferTest, HasOneBatchOutAtATime) {
  Add(0);
  ASSERT_EQ(Next(), Offsets{0});
  Add(1);

  EXPECT_EQ(Next(), Offsets{});
  EXPECT_TRUE(buffer_.out());
}

TEST_F(PartitionBufferTest, GivesAFailedBatchAgainAfterPausesThatGrow) {
  TimePoint now{};
  Add(7);
  ASSERT_EQ(Next(now), Offsets{7});
  for (const int pause : {100, 200, 300, 300}) {
    buffer_.OnFailed(now);
    Add(8);  // what came later doesn't join the batch
    EXPECT_EQ(Next(now + milliseconds(pause - 1)), Offsets{});
    now += milliseconds(pause);
    ASSERT_EQ(Next(now), Offsets{7});
  }

  buffer_.OnStored();
  ASSERT_EQ(Next(now).size(), 3u);
  buffer_.OnFailed(now);
  EXPECT_EQ(Next(now + milliseconds(100)).size(), 3u) << "the pause is the first one again";
}

TEST_F(PartitionBufferTest, IsFullByRecordsOrBytesUntilHalfEmpty) {
  for (int i = 0; i < 4; ++i) Add(i, 1);
  EXPECT_TRUE(buffer_.IsFull());
  EXPECT_FALSE(buffer_.IsHalfEmpty());
  Next();
  EXPECT_TRUE(buffer_.IsHalfEmpty());

  Add(9, 200);
  EXPECT_TRUE(buffer_.IsFull());
}

}  // namespace
}  // namespace minichat::kafka
