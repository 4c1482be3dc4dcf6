#include "server/core/chat_node.h"

#include <gtest/gtest.h>

#include "server/core/core_test_support.h"

namespace minichat::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Strings = std::vector<std::string>;

class ChatNodeTest : public testing::Test {
 protected:
  FakeCluster cluster_;
};

TEST_F(ChatNodeTest, IsReadyAfterStart) {
  ChatNode& node = cluster_.AddNode("n1");

  EXPECT_TRUE(node.ready());
  EXPECT_TRUE(node.lacking().empty());
}

TEST_F(ChatNodeTest, SenderAndMembersGetTheMessageOnceInOrder) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann"), bob(cluster_, node, "bob");
  EXPECT_EQ(0u, Ok(ann.Join("general")).head);
  Ok(bob.Join("general"));

  const Ack first = Ok(ann.Send("general", "c1", "hi"));
  const Ack second = Ok(bob.Send("general", "c1", "ho"));

  EXPECT_EQ(1u, first.seq);
  EXPECT_EQ(2u, second.seq);
  EXPECT_FALSE(first.duplicate);
  EXPECT_EQ((Strings{"1:hi", "2:ho"}), ann.link->got);
  EXPECT_EQ((Strings{"1:hi", "2:ho"}), bob.link->got);
}

TEST_F(ChatNodeTest, TheSameCidIsOneMessageAndAnotherTextIsRefused) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  FakeClient ann(cluster_, n1, "ann"), ann_too(cluster_, n2, "ann");
  Ok(ann.Join("general"));
  Ok(ann_too.Join("general"));

  const Ack first = Ok(ann.Send("general", "c1", "hi"));
  const Ack again = Ok(ann_too.Send("general", "c1", "hi"));

  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(first.seq, again.seq);
  EXPECT_EQ(first.id, again.id);
  EXPECT_EQ(ErrorCode::kCidConflict, CodeOf(ann.Send("general", "c1", "another")));
  EXPECT_EQ((Strings{"1:hi"}), ann.link->got);
}

TEST_F(ChatNodeTest, RelaysToTheOtherNodesMembersWithoutPulls) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));  // a beat: they know each other
  FakeClient ann(cluster_, n1, "ann"), bob(cluster_, n2, "bob");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));

  Ok(ann.Send("general", "c1", "hi"));
  Ok(bob.Send("general", "c2", "ho"));
  cluster_.scheduler.Advance(seconds(3));

  EXPECT_EQ((Strings{"1:hi", "2:ho"}), ann.link->got);
  EXPECT_EQ((Strings{"1:hi", "2:ho"}), bob.link->got);
  EXPECT_EQ(2, cluster_.relay.calls);
  EXPECT_EQ(0, cluster_.metrics.pulls_sweep.Value() + cluster_.metrics.pulls_hole.Value());
}

TEST_F(ChatNodeTest, TheSweepFindsWhatTheRelayLost) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));
  FakeClient ann(cluster_, n1, "ann"), bob(cluster_, n2, "bob");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));
  cluster_.relay.losing = true;

  Ok(ann.Send("general", "c1", "hi"));
  cluster_.scheduler.Advance(milliseconds(1500));

  EXPECT_EQ((Strings{"1:hi"}), bob.link->got);
  EXPECT_EQ(1, cluster_.metrics.pulls_sweep.Value());
}

TEST_F(ChatNodeTest, PersistsAndReadsHistoryAcrossWindowAndRows) {
  DirectoryLimits limits;
  limits.window_events = 3;
  FakeCluster cluster(limits);
  ChatNode& node = cluster.AddNode("n1");
  FakeClient ann(cluster, node, "ann");
  Ok(ann.Join("general"));
  for (int i = 1; i <= 10; ++i) Ok(ann.Send("general", "c" + std::to_string(i), "m"));
  cluster.scheduler.Advance(seconds(2));

  HistoryRequest newest{RoomId("general"), {}, {}, 4};
  const HistoryPage last = Ok(ann.History(newest));
  HistoryRequest older{RoomId("general"), {}, last.next, 50};
  const HistoryPage rest = Ok(ann.History(older));
  HistoryRequest from_start{RoomId("general"), 0, {}, 50};

  ASSERT_EQ(4u, last.messages.size());
  EXPECT_EQ(7u, last.messages.front().place.seq);
  EXPECT_EQ(7u, last.next);
  ASSERT_EQ(6u, rest.messages.size());
  EXPECT_EQ(1u, rest.messages.front().place.seq);
  EXPECT_FALSE(rest.next.has_value());
  EXPECT_EQ(10u, Ok(ann.History(from_start)).messages.size());
  EXPECT_EQ(10, cluster.metrics.persisted.Value());
}

TEST_F(ChatNodeTest, ResumesFromTheCursorAndSaysWhenItCannot) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann"), bob(cluster_, node, "bob");
  Ok(ann.Join("general"));
  for (int i = 1; i <= 5; ++i) Ok(ann.Send("general", "c" + std::to_string(i), "m"));

  const JoinReply resumed = Ok(bob.Join("general", 2));
  FakeClient cyd(cluster_, node, "cyd");
  const JoinReply unknown = Ok(cyd.Join("general", 99));

  EXPECT_TRUE(resumed.recovered);
  EXPECT_EQ((Strings{"3:m", "4:m", "5:m"}), bob.link->got);
  EXPECT_FALSE(unknown.recovered);
  EXPECT_EQ(5u, unknown.cursor);
  EXPECT_TRUE(cyd.link->got.empty());
}

// The room's last number went to a message that could not be stored, and the room has been cold
// since.
TEST_F(ChatNodeTest, APullUpToAHeadWithoutARowIsNotRepeated) {
  ChatNode& node = cluster_.AddNode("n1");
  const RoomId room("general");
  const Deadline deadline = Deadline::After(cluster_.scheduler, seconds(1));
  cluster_.directory.Lease(room, "token", 1, deadline, [](const auto&) {});
  cluster_.directory.Warm({room, 1, "token", 5, false}, deadline, [](const auto&) {});
  cluster_.scheduler.Advance(milliseconds(50));
  FakeClient bob(cluster_, node, "bob");

  const JoinReply joined = Ok(bob.Join("general", 2));
  cluster_.scheduler.Advance(seconds(5));
  const Ack ack = Ok(bob.Send("general", "c-1", "next"));

  EXPECT_EQ(5u, joined.head);
  EXPECT_EQ(1, cluster_.metrics.pulls_join.Value());
  EXPECT_EQ(0, cluster_.metrics.pulls_sweep.Value());
  EXPECT_EQ(6u, ack.seq);
  EXPECT_EQ((Strings{"6:next"}), bob.link->got);
}

TEST_F(ChatNodeTest, AResumeAnswersBeforeTheFirstEvent) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann"), bob(cluster_, node, "bob");
  Ok(ann.Join("a"));
  Ok(ann.Join("b"));
  Ok(ann.Send("a", "c1", "in a"));
  Ok(ann.Send("b", "c2", "in b"));

  std::optional<std::size_t> got_before_answer;
  std::size_t answers = 0;
  node.Resume(bob.id, {{RoomId("a"), 0}, {RoomId("b"), 0}},
              [&](std::vector<ClientResult<JoinReply>> replies) {
                got_before_answer = bob.link->got.size();
                answers = replies.size();
              });
  cluster_.scheduler.Advance(milliseconds(50));

  EXPECT_EQ(0u, got_before_answer);
  EXPECT_EQ(2u, answers);
  EXPECT_EQ((Strings{"1:in a", "1:in b"}), bob.link->got);
}

TEST_F(ChatNodeTest, CatchingUpWaitsForTheClientsQueue) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann"), bob(cluster_, node, "bob");
  Ok(ann.Join("general"));
  for (int i = 1; i <= 30; ++i) Ok(ann.Send("general", "c" + std::to_string(i), "m"));
  bob.link->room = 10;

  Ok(bob.Join("general", 0));
  EXPECT_EQ(10u, bob.link->got.size());
  bob.link->read = 10;
  node.OnDrained(bob.id);
  bob.link->room = 100;
  node.OnDrained(bob.id);
  cluster_.scheduler.Advance(seconds(2));

  EXPECT_EQ(30u, bob.link->got.size());
  EXPECT_EQ("30:m", bob.link->got.back());
}

TEST_F(ChatNodeTest, ALeftRoomIsNoLongerHeardAndMayNotBeWrittenTo) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann"), bob(cluster_, node, "bob");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));
  std::optional<ClientResult<RoomId>> left;
  node.Leave(bob.id, RoomId("general"), [&](ClientResult<RoomId> got) { left = got; });
  cluster_.scheduler.Advance(milliseconds(50));

  Ok(ann.Send("general", "c1", "hi"));

  Ok(left);
  EXPECT_TRUE(bob.link->got.empty());
  EXPECT_EQ(ErrorCode::kNotMember, CodeOf(bob.Send("general", "c1", "hi")));
  EXPECT_EQ(ErrorCode::kNotMember, CodeOf(bob.History({RoomId("general"), {}, {}, 5})));
}

TEST_F(ChatNodeTest, AJoinOfAJoinedRoomChangesNothing) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann");
  Ok(ann.Join("general"));
  Ok(ann.Send("general", "c1", "hi"));

  const JoinReply again = Ok(ann.Join("general", 0));

  EXPECT_EQ(1u, again.cursor);
  EXPECT_EQ((Strings{"1:hi"}), ann.link->got);
}

TEST_F(ChatNodeTest, AfterAHangSendsAreLookedUpAsResends) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann");
  Ok(ann.Join("general"));
  const Ack first = Ok(ann.Send("general", "c1", "hi"));
  cluster_.scheduler.Advance(std::chrono::minutes(11));  // stored, and its dedup entry is gone

  cluster_.scheduler.Hang(seconds(6));
  const Ack again = Ok(ann.Send("general", "c1", "hi"));

  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(first.seq, again.seq);
}

TEST_F(ChatNodeTest, ARecordThatNamesALaterGenerationWaitsForOne) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann");
  Ok(ann.Join("general"));
  const MessagePtr message = MakeMessage(RoomId("general"), UserId("bob"), ClientMessageId("c1"),
                                         BodyKind::kText, "hi", 0);

  cluster_.log.Append({message, MakeAttempt(2, 1)}, [](const Status&) {});
  cluster_.scheduler.Advance(milliseconds(2500));
  EXPECT_FALSE(node.ready());
  EXPECT_TRUE(ann.link->got.empty());
  cluster_.scheduler.Advance(seconds(10));

  EXPECT_TRUE(node.ready());
  EXPECT_EQ((Strings{std::to_string(FloorOf(2) + 1) + ":hi"}), ann.link->got);
  EXPECT_EQ(1, cluster_.metrics.persisted.Value());
}

TEST_F(ChatNodeTest, ReadsAboveTheBoundAreRefusedAtOnce) {
  cluster_.options.max_waiting_reads = 2;
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann");
  Ok(ann.Join("general"));
  std::vector<std::optional<ClientResult<HistoryPage>>> replies(4);

  for (std::size_t i = 0; i < replies.size(); ++i) {
    const auto keep = [&reply = replies[i]](auto got) { reply = std::move(got); };
    const HistoryRequest request{RoomId("general"), {}, {}, 10};
    if (i % 2 == 0) {
      node.History(ann.id, request, keep);
    } else {
      node.ReadRoom(request, keep);
    }
  }
  ASSERT_TRUE(replies[2].has_value() && replies[3].has_value());
  EXPECT_EQ(ErrorCode::kOverloaded, CodeOf(replies[2]));
  EXPECT_EQ(ErrorCode::kOverloaded, CodeOf(replies[3]));
  EXPECT_EQ(2, cluster_.metrics.waiting_reads.Value());
  cluster_.scheduler.Advance(milliseconds(50));

  Ok(replies[0]);
  Ok(replies[1]);
  Ok(ann.History({RoomId("general"), {}, {}, 10}));
  EXPECT_EQ(0, cluster_.metrics.waiting_reads.Value());
}

TEST_F(ChatNodeTest, WithoutMemoryForClientsSendsAndSessionsAreRefused) {
  bool full = false;
  cluster_.options.outbound_full = [&full] { return full; };
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann");
  Ok(ann.Join("general"));
  full = true;

  EXPECT_EQ(ErrorCode::kOverloaded, CodeOf(ann.Send("general", "c1", "hi")));
  const auto late = node.OpenSession({UserId("bob"), {}}, std::make_shared<FakeClientLink>());
  EXPECT_EQ(ErrorCode::kOverloaded, std::get<ClientError>(late).code);
  full = false;

  Ok(ann.Send("general", "c1", "hi"));
}

// A message that is logged and finds the window full would hold up the persister, and with it the
// window.
TEST_F(ChatNodeTest, AWindowThatFillsIsNotFilled) {
  DirectoryLimits limits;
  limits.window_events = 0;
  limits.window_bytes_per_room = 10 * (128 + std::string("hianncX").size());
  FakeCluster cluster(limits);
  cluster.options.persist_linger = milliseconds(500);
  FakeClient ann(cluster, cluster.AddNode("n1"), "ann");
  Ok(ann.Join("general"));

  for (int i = 1; i <= 8; ++i) Ok(ann.Send("general", "c" + std::to_string(i), "hi"));
  EXPECT_EQ(ErrorCode::kUnavailable, CodeOf(ann.Send("general", "c9", "hi")));
  cluster.scheduler.Advance(seconds(1));

  EXPECT_EQ(9u, Ok(ann.Send("general", "c9", "hi")).seq);
}

TEST_F(ChatNodeTest, StopRemovesTheNodesEntry) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));
  ASSERT_EQ(2u, n1.live_nodes().size());

  bool stopped = false;
  n2.Stop(Deadline::After(cluster_.scheduler, seconds(1)), [&] { stopped = true; });
  cluster_.scheduler.Advance(seconds(2));

  EXPECT_TRUE(stopped);
  EXPECT_FALSE(n2.ready());
  EXPECT_EQ(1u, n1.live_nodes().size());
}

TEST_F(ChatNodeTest, AStopWritesTheRowsThatNobodyElseWrites) {
  cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  FakeClient ann(cluster_, n2, "ann");
  Ok(ann.Join("general"));
  cluster_.log.Stop();  // n1 read it
  cluster_.nodes[0].reset();
  cluster_.relay.receivers.erase(NodeName("n1"));
  const Ack ack = Ok(ann.Send("general", "c1", "hi"));
  ASSERT_EQ(cluster_.store.state().RowsOf(RoomId("general")), nullptr);

  bool stopped = false;
  n2.Stop(Deadline::After(cluster_.scheduler, seconds(5)), [&] { stopped = true; });
  cluster_.scheduler.Advance(seconds(1));

  EXPECT_TRUE(stopped);
  const auto* rows = cluster_.store.state().RowsOf(RoomId("general"));
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->count(ack.seq), 1u);
}

TEST_F(ChatNodeTest, SetsTheRelayModeForTheCluster) {
  ChatNode& node = cluster_.AddNode("n1");
  std::optional<Result<RelayModeSetting>> setting;

  node.SetRelayMode("single", [&](Result<RelayModeSetting> got) { setting = std::move(got); });
  cluster_.scheduler.Advance(milliseconds(50));

  ASSERT_TRUE(setting && setting->ok());
  EXPECT_EQ("single", cluster_.relay.mode);
}

}  // namespace
}  // namespace minichat::core
