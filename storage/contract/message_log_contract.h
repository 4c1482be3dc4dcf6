#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/core/ports/message_log.h"
#include "storage/contract/harness.h"

namespace minichat::contract {

// What every MessageLog with its LogSource does. Include it in one file of a test program, and
// instantiate it with the implementation's harness.
class MessageLogContract : public testing::TestWithParam<MakeMessageLogHarness> {
 protected:
  // Keeps what comes; answers at once, with what `answer` says, or holds the answer.
  struct Consumer : core::LogConsumer {
    void OnBatch(core::LogBatch batch, Callback<Status> done) override {
      ++batches;
      ++out[batch.partition];
      most_out = std::max(most_out, out[batch.partition]);
      for (core::ConsumedRecord& record : batch.records) {
        offsets[batch.partition].push_back(record.offset);
        if (record.message) bodies.push_back(record.message->body);
        records.push_back(std::move(record));
      }
      auto finish = [this, partition = batch.partition, done = std::move(done)](Status status) {
        --out[partition];
        done(std::move(status));
      };
      if (hold) {
        held.push_back(std::move(finish));
      } else {
        finish(failures > 0 && failures-- > 0 ? Unavailable("told to fail") : Status());
      }
    }

    bool hold = false;
    int failures = 0;  // the next so many batches fail
    int batches = 0;
    std::map<std::int32_t, int> out;
    int most_out = 0;
    std::map<std::int32_t, std::vector<std::int64_t>> offsets;
    std::vector<core::ConsumedRecord> records;
    std::vector<std::string> bodies;
    std::vector<Callback<Status>> held;
  };

  void SetUp() override {
    harness_ = GetParam()();
    if (harness_ == nullptr) GTEST_SKIP() << "its service is not installed";
    ASSERT_TRUE(harness_->RunUntil([this] { return log().available(); }));
  }

  core::MessageLog& log() { return harness_->log(); }

  static core::LogRecord RecordOf(const std::string& room, const std::string& body) {
    return {core::MakeMessage(core::RoomId(room), core::UserId("ann"),
                              core::ClientMessageId("cid-" + body), core::BodyKind::kText, body,
                              1'700'000'000'123),
            77};
  }

  Status Append(const std::string& room, const std::string& body) {
    return harness_->Await<Status>(
        [&](Callback<Status> done) { log().Append(RecordOf(room, body), std::move(done)); });
  }

  std::unique_ptr<core::LogSource> StartSource(Consumer& consumer) {
    auto source = harness_->NewSource();
    source->Start(consumer);
    return source;
  }

  bool RunUntilRecords(const Consumer& consumer, std::size_t count) {
    return harness_->RunUntil([&] { return consumer.records.size() >= count; });
  }

  std::unique_ptr<MessageLogHarness> harness_;
};

TEST_P(MessageLogContract, GivesWhatWasAppended) {
  const core::LogRecord appended = RecordOf("room", "hello");
  ASSERT_EQ(Append("room", "hello"), Status());

  Consumer consumer;
  const auto source = StartSource(consumer);
  ASSERT_TRUE(RunUntilRecords(consumer, 1));
  source->Stop();

  const core::ConsumedRecord& record = consumer.records[0];
  ASSERT_NE(record.message, nullptr);
  EXPECT_EQ(*record.message, *appended.message);
  EXPECT_EQ(record.attempt, appended.attempt);
  EXPECT_GT(record.written_at_ms, 0);
  EXPECT_EQ(record.error, "");
}

TEST_P(MessageLogContract, KeepsTheOrderOfARoomWithoutWaitingForAnswers) {
  constexpr int kCount = 300;
  int stored = 0;
  harness_->scheduler().Post([&] {
    for (int i = 0; i < kCount; ++i) {
      log().Append(RecordOf("room", std::to_string(i)), [&](Status s) { stored += s.ok(); });
    }
  });
  ASSERT_TRUE(harness_->RunUntil([&] { return stored == kCount; }));

  Consumer consumer;
  const auto source = StartSource(consumer);
  ASSERT_TRUE(RunUntilRecords(consumer, kCount));
  source->Stop();

  for (int i = 0; i < kCount; ++i) EXPECT_EQ(consumer.bodies[i], std::to_string(i));
  ASSERT_EQ(consumer.offsets.size(), 1u) << "one room, one partition";
  const auto& offsets = consumer.offsets.begin()->second;
  EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end(), std::less_equal<>()));
}

TEST_P(MessageLogContract, HandsOutOneBatchOfAPartitionAtATime) {
  Consumer consumer;
  consumer.hold = true;
  const auto source = StartSource(consumer);
  ASSERT_EQ(Append("room", "1"), Status());
  ASSERT_TRUE(harness_->RunUntil([&] { return consumer.batches == 1; }));
  ASSERT_EQ(Append("room", "2"), Status());
  ASSERT_EQ(Append("room", "3"), Status());

  consumer.hold = false;
  harness_->scheduler().Post([&] { consumer.held.front()(Status()); });
  ASSERT_TRUE(RunUntilRecords(consumer, 3));
  source->Stop();

  EXPECT_EQ(consumer.most_out, 1);
  EXPECT_EQ(consumer.bodies, (std::vector<std::string>{"1", "2", "3"}));
}

TEST_P(MessageLogContract, GivesAFailedBatchAgainAndThenGoesOn) {
  ASSERT_EQ(Append("room", "1"), Status());
  Consumer consumer;
  consumer.failures = 2;
  const auto source = StartSource(consumer);
  ASSERT_TRUE(harness_->RunUntil([&] { return consumer.batches == 3; }));
  ASSERT_EQ(Append("room", "2"), Status());
  ASSERT_TRUE(RunUntilRecords(consumer, 4));
  source->Stop();

  EXPECT_EQ(consumer.bodies, (std::vector<std::string>{"1", "1", "1", "2"}));
}

TEST_P(MessageLogContract, NextSourceGoesOnBehindWhatWasFinished) {
  ASSERT_EQ(Append("room", "1"), Status());
  ASSERT_EQ(Append("room", "2"), Status());
  Consumer first;
  const auto first_source = StartSource(first);
  ASSERT_TRUE(RunUntilRecords(first, 2));
  first_source->Stop();

  ASSERT_EQ(Append("room", "3"), Status());
  Consumer second;
  const auto second_source = StartSource(second);
  ASSERT_TRUE(RunUntilRecords(second, 1));
  second_source->Stop();

  EXPECT_EQ(second.bodies, (std::vector<std::string>{"3"}));
}

TEST_P(MessageLogContract, NextSourceGetsWhatWasNotFinished) {
  ASSERT_EQ(Append("room", "1"), Status());
  Consumer first;
  first.hold = true;
  const auto first_source = StartSource(first);
  ASSERT_TRUE(RunUntilRecords(first, 1));
  first_source->Stop();

  Consumer second;
  const auto second_source = StartSource(second);
  ASSERT_TRUE(RunUntilRecords(second, 1));
  second_source->Stop();

  EXPECT_EQ(second.bodies, (std::vector<std::string>{"1"}));
  first.held.front()(Status());  // too late: nobody minds
}

TEST_P(MessageLogContract, GivesNothingAfterStop) {
  Consumer consumer;
  const auto source = StartSource(consumer);
  ASSERT_EQ(Append("room", "1"), Status());
  ASSERT_TRUE(RunUntilRecords(consumer, 1));

  source->Stop();
  ASSERT_EQ(Append("room", "2"), Status());
  Consumer next;
  const auto next_source = StartSource(next);
  ASSERT_TRUE(RunUntilRecords(next, 1));
  next_source->Stop();

  EXPECT_EQ(consumer.bodies, (std::vector<std::string>{"1"}));
}

}  // namespace minichat::contract
