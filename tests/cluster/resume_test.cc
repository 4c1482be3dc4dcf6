// A session goes to another node and gets exactly what it missed, while others talk.
#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

// A client's requests are limited by the second; here one client sends thousands.
const NodeProcess::Flags kFastSenders{{"limits.messages_per_s", "50000"}};

class ResumeTest : public ClusterTest {
 protected:
  // Three talkers, one on each node, and a reader on the first.
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    StartCluster({.flags = kFastSenders});
    room_ = NewRoom();
    for (std::size_t i = 0; i < 3; ++i) {
      talkers_.push_back(OpenIn(i, "talker-" + std::to_string(i), room_));
    }
    reader_ = OpenIn(0, "reader", room_);
  }

  // Sends `count` messages with at most `window` unanswered.
  void Talk(std::size_t count, std::size_t window = 300) {
    const std::size_t end = sent_ + count;
    const auto top_up = [&] {
      while (sent_ < end && sent_ - acked_ < window) SendOne();
      return acked_ == end;
    };
    ASSERT_TRUE(Until(top_up, seconds(90), milliseconds(1))) << acked_ << " of " << end;
  }

  void SendOne() {
    ChatSession& talker = *talkers_[sent_ % talkers_.size()];
    const std::string cid = "c-" + std::to_string(sent_++);
    talker.OnReply(talker.Send(room_, cid, cid), [this](const Reply& reply) {
      EXPECT_EQ(reply.op, "ack") << reply.code;
      ++acked_;
    });
  }

  // Talks on at a gentle pace until the condition holds.
  bool TalkUntil(const std::function<bool()>& condition, milliseconds limit) {
    Clock::time_point next = Clock::now();
    return Until(
        [&] {
          if (Clock::now() >= next) {
            SendOne();
            next += milliseconds(20);
          }
          return condition();
        },
        limit, milliseconds(1));
  }

  // The reader loses its connection, `missed` messages pass, and it comes back on another node
  // while the others go on talking.
  void ResumesAfterMissing(std::size_t missed) {
    Talk(20);
    const Seq head = talkers_[0]->room(room_).last;
    ASSERT_TRUE(Until([&] { return reader_->room(room_).deliveries.size() == sent_; }));
    const std::size_t before = sent_;
    const Seq seen = reader_->room(room_).last;
    EXPECT_GE(seen, head);
    reader_->connection().Abort();
    Talk(missed);

    auto again = Open(1, "reader", {{room_, seen}});
    const auto caught_up = [&] { return again->room(room_).deliveries.size() >= missed + 20; };
    ASSERT_TRUE(TalkUntil(caught_up, seconds(60)))
        << again->room(room_).deliveries.size() << " of " << missed;
    ASSERT_TRUE(Until([&] { return acked_ == sent_; }));

    EXPECT_TRUE(again->room(room_).recovered);
    const std::size_t expected = sent_ - before;
    EXPECT_TRUE(Until([&] { return again->room(room_).deliveries.size() == expected; }))
        << again->room(room_).deliveries.size() << " instead of " << expected;
    EXPECT_EQ(again->room(room_).twice, 0u);
    EXPECT_EQ(again->room(room_).out_of_order, 0u);
    EXPECT_TRUE(again->room(room_).gaps.empty());
    EXPECT_FALSE(again->closed());
    ASSERT_TRUE(Until([&] { return talkers_[2]->room(room_).deliveries.size() == sent_; }));
    // The same messages in the same order as a session that was there all the time.
    std::vector<std::string> stayed = IdsOf(talkers_[2]->room(room_).deliveries);
    stayed.erase(stayed.begin(), stayed.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_EQ(IdsOf(again->room(room_).deliveries), stayed);
  }

  std::string room_;
  std::vector<std::unique_ptr<ChatSession>> talkers_;
  std::unique_ptr<ChatSession> reader_;
  std::size_t sent_ = 0;
  std::size_t acked_ = 0;
};

TEST_F(ResumeTest, AfterMissingNothing) {
  ResumesAfterMissing(0);
}

TEST_F(ResumeTest, AfterMissingOne) {
  ResumesAfterMissing(1);
}

TEST_F(ResumeTest, AfterMissingTenThousand) {
  ResumesAfterMissing(10'000);
  // Of whatever cause: a read that is under way already serves the new session as well.
  const auto metrics = cluster().node(1).Metrics();
  EXPECT_GT(metrics.Sum("minichat_pulls_total"), 0);
  EXPECT_GE(metrics.Sum("minichat_deliveries_total", {{"path", "pull"}}), 10'000);
}

TEST_F(ResumeTest, ANumberThatTheRoomNeverHadIsNotRecovered) {
  Talk(5);

  auto again = Open(1, "stranger", {{room_, Seq{1} << 52}});

  const RoomView& view = again->room(room_);
  EXPECT_FALSE(view.recovered);
  const auto live = [&] { return !again->room(room_).deliveries.empty(); };
  EXPECT_TRUE(TalkUntil(live, seconds(10)));
}

}  // namespace
}  // namespace minichat::test
