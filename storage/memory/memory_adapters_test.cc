// The three adapters as a standalone node uses them.
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "storage/memory/memory_directory.h"
#include "storage/memory/memory_log.h"
#include "storage/memory/memory_store.h"

namespace minichat::memory {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Time moves when the test says so.
class ManualScheduler final : public Scheduler {
 public:
  TimePoint Now() const override { return now_; }
  TimePoint BootNow() const override { return now_; }
  std::int64_t WallMillis() const override {
    return std::chrono::duration_cast<milliseconds>(now_.time_since_epoch()).count();
  }
  void Post(Work work) override { queue_.push_back(std::move(work)); }
  TimerId RunAfter(Duration delay, Work work) override {
    timers_.emplace(now_ + delay, std::pair(++last_timer_, std::move(work)));
    return last_timer_;
  }
  void Cancel(TimerId id) override {
    std::erase_if(timers_, [id](const auto& timer) { return timer.second.first == id; });
  }
  std::uint64_t Random() override { return ++random_; }

  void RunPosted() {
    while (!queue_.empty()) {
      const Work work = std::move(queue_.front());
      queue_.pop_front();
      work();
    }
  }
  void Advance(Duration by) {
    now_ += by;
    while (!timers_.empty() && timers_.begin()->first <= now_) {
      const Work work = std::move(timers_.begin()->second.second);
      timers_.erase(timers_.begin());
      work();
    }
    RunPosted();
  }

 private:
  TimePoint now_{};
  std::deque<Work> queue_;
  std::multimap<TimePoint, std::pair<TimerId, Work>> timers_;
  TimerId last_timer_ = 0;
  std::uint64_t random_ = 0;
};

core::MessagePtr Text(const std::string& cid, const std::string& body = "hi") {
  return core::MakeMessage(core::RoomId("general"), core::UserId("ann"), core::ClientMessageId(cid),
                           core::BodyKind::kText, body, 1);
}

core::NewRow RowOf(const std::string& cid, core::Seq seq, const std::string& body = "hi") {
  return {{Text(cid, body), {.seq = seq}}, 3, 17};
}

TEST(MemoryDirectoryTest, AnswersInTheNextTurnNeverInsideTheCall) {
  ManualScheduler scheduler;
  MemoryDirectory directory(scheduler);
  std::vector<std::string> run_ids;
  const auto connect = [&] {
    directory.Connect(Deadline::After(scheduler, seconds(1)),
                      [&](const Result<std::string>& id) { run_ids.push_back(*id); });
  };

  connect();
  EXPECT_TRUE(run_ids.empty());
  connect();
  scheduler.RunPosted();

  ASSERT_EQ(2u, run_ids.size());
  EXPECT_EQ(run_ids[0], run_ids[1]);
}

class StoreStateTest : public testing::Test {
 protected:
  StoreState state_;
  const core::RoomId room_{"general"};
};

TEST_F(StoreStateTest, WarmingRaisesTheCurrentGenerationAndRefusesOlderOnes) {
  EXPECT_FALSE(state_.PrepareWarming(1000, room_, 2).refused);
  EXPECT_TRUE(state_.PrepareWarming(1000, room_, 1).refused);
  EXPECT_TRUE(state_.Insert(1000, {RowOf("c1", 1)}, 1).fenced);
  EXPECT_FALSE(state_.Insert(1000, {RowOf("c1", 1)}, 2).fenced);

  const core::WarmingFacts facts = state_.PrepareWarming(1500, room_, 2);

  EXPECT_EQ(1u, facts.max_seq);
  EXPECT_EQ(500, facts.newest_age_ms);
}

TEST_F(StoreStateTest, InsertIsIdempotentAndSendsCollisionsToTheDeadLetters) {
  state_.PrepareWarming(0, room_, 1);
  state_.Insert(0, {RowOf("c1", 1)}, 1);

  const core::InsertReply reply = state_.Insert(0, {RowOf("c1", 1), RowOf("c2", 1)}, 1);

  EXPECT_EQ((std::vector<std::size_t>{1}), reply.dead);
  ASSERT_EQ(1u, state_.dead_letters().size());
  EXPECT_EQ(3, state_.dead_letters().front().partition);
  EXPECT_EQ(17, state_.dead_letters().front().offset);
}

TEST_F(StoreStateTest, LookupPrefersTheRowWithThisTextThenTheEarliest) {
  state_.PrepareWarming(0, room_, 1);
  state_.Insert(0, {RowOf("c1", 4, "one"), RowOf("c1", 9, "two")}, 1);
  const core::MessageId id = Text("c1")->id;

  EXPECT_EQ(9u, state_.Lookup(room_, id, {}, Text("c1", "two")->hash)->seq);
  EXPECT_EQ(4u, state_.Lookup(room_, id, {}, Text("c1", "three")->hash)->seq);
  EXPECT_FALSE(state_.Lookup(room_, Text("c2")->id, {}, 0).has_value());
  EXPECT_EQ(4u, state_.Lookup(room_, Text("c2")->id, id, 0)->seq);
}

TEST_F(StoreStateTest, RangeReadsFromEitherEnd) {
  state_.PrepareWarming(0, room_, 1);
  for (core::Seq seq = 1; seq <= 5; ++seq) {
    state_.Insert(0, {RowOf("c" + std::to_string(seq), seq)}, 1);
  }
  const auto seqs = [&](core::Seq after, core::Seq before, std::size_t limit, bool from_end) {
    std::vector<core::Seq> out;
    for (const auto& placed : state_.Range({room_, after, before, limit, from_end})) {
      out.push_back(placed.place.seq);
    }
    return out;
  };

  EXPECT_EQ((std::vector<core::Seq>{2, 3}), seqs(1, 5, 2, false));
  EXPECT_EQ((std::vector<core::Seq>{3, 4}), seqs(1, 5, 2, true));
  EXPECT_EQ((std::vector<core::Seq>{}), seqs(5, 5, 2, true));
}

TEST_F(StoreStateTest, OldestRowsAndLettersGoWhenTheBoundIsReached) {
  state_ = StoreState({.bytes = 1000, .dead_letters = 2});
  state_.PrepareWarming(0, room_, 1);
  for (core::Seq seq = 1; seq <= 5; ++seq) {
    state_.Insert(0, {RowOf("c" + std::to_string(seq), seq)}, 1);
    state_.AddDeadLetters({{0, static_cast<std::int64_t>(seq), "bad", ""}});
  }

  EXPECT_GT(state_.dropped_rows(), 0u);
  EXPECT_EQ(5u, state_.RowsOf(room_)->rbegin()->first);
  EXPECT_FALSE(state_.Lookup(room_, Text("c1")->id, {}, 0).has_value());
  EXPECT_EQ(3u, state_.dropped_letters());
  EXPECT_EQ(4, state_.dead_letters().front().offset);
}

// Keeps batches until the test answers them.
class HoldingConsumer final : public core::LogConsumer {
 public:
  void OnBatch(core::LogBatch batch, Callback<Status> done) override {
    batches.push_back(std::move(batch));
    answers.push_back(std::move(done));
  }
  std::vector<core::LogBatch> batches;
  std::vector<Callback<Status>> answers;
};

class MemoryLogTest : public testing::Test {
 protected:
  void Append(const std::string& cid) {
    log_.Append({Text(cid), 1}, [this](const Status& status) { statuses_.push_back(status); });
  }

  ManualScheduler scheduler_;
  HoldingConsumer consumer_;
  MemoryLog log_{scheduler_, {.partitions = 4, .max_waiting = 3}};
  std::vector<Status> statuses_;
};

TEST_F(MemoryLogTest, BatchComesOnceWhenItIsStored) {
  log_.Start(consumer_);
  Append("c1");
  Append("c2");
  scheduler_.RunPosted();
  ASSERT_EQ(1u, consumer_.batches.size());
  EXPECT_EQ(2u, consumer_.batches[0].records.size());

  consumer_.answers[0](Status());
  scheduler_.Advance(seconds(10));

  EXPECT_EQ(1u, consumer_.batches.size());
  EXPECT_EQ(0u, log_.state().waiting());
}

TEST_F(MemoryLogTest, BatchThatFailedComesAgainAfterAPause) {
  log_.Start(consumer_);
  Append("c1");
  scheduler_.RunPosted();

  consumer_.answers[0](Unavailable("store: away"));
  scheduler_.RunPosted();
  EXPECT_EQ(1u, consumer_.batches.size());
  scheduler_.Advance(milliseconds(200));

  ASSERT_EQ(2u, consumer_.batches.size());
  EXPECT_EQ(consumer_.batches[0].records[0].offset, consumer_.batches[1].records[0].offset);
}

TEST_F(MemoryLogTest, RecordsAppendedBeforeTheStartAreConsumed) {
  Append("c1");
  scheduler_.RunPosted();

  log_.Start(consumer_);
  scheduler_.RunPosted();

  ASSERT_EQ(1u, consumer_.batches.size());
  EXPECT_EQ(1u, consumer_.batches[0].records[0].attempt);
}

TEST_F(MemoryLogTest, AppendIsRefusedAboveTheBound) {
  for (int i = 0; i < 4; ++i) Append("c" + std::to_string(i));
  scheduler_.RunPosted();

  ASSERT_EQ(4u, statuses_.size());
  EXPECT_TRUE(statuses_[2].ok());
  EXPECT_EQ(StatusCode::kResourceExhausted, statuses_[3].code());
}

TEST_F(MemoryLogTest, NothingComesAfterStopAndLateAnswersAreIgnored) {
  log_.Start(consumer_);
  Append("c1");
  scheduler_.RunPosted();
  log_.Stop();
  Append("c2");
  scheduler_.RunPosted();

  consumer_.answers[0](Status());
  scheduler_.Advance(seconds(1));

  EXPECT_EQ(1u, consumer_.batches.size());
  EXPECT_EQ(2u, log_.state().waiting());
}

}  // namespace
}  // namespace minichat::memory
