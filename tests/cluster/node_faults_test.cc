// Nodes that die, hang, leave or can't reach each other.
#include <algorithm>
#include <csignal>
#include <set>

#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

class NodeFaultsTest : public ClusterTest {
 protected:
  // Node n1 serves clients only and dies at the step, so that another node's persister is there for
  // what it leaves behind.
  void StartWithNodeThatDies(const std::string& step) {
    StartCluster({.node_flags = {
                      {{"node.roles", "chat"}, {"lab.enabled", "true"}, {"lab.fault.die", step}}}});
    room_ = NewRoom();
    ann_ = OpenIn(0, "ann", room_);
    bob_ = OpenIn(1, "bob", room_);
    cleo_ = OpenIn(2, "cleo", room_);
  }

  bool BothHave(std::size_t count, milliseconds limit) {
    return Until(
        [&] {
          return bob_->room(room_).deliveries.size() >= count &&
                 cleo_->room(room_).deliveries.size() >= count;
        },
        limit);
  }

  // The sender's node is dead and nobody was acknowledged: the message arrives all the same, once,
  // and the client's retry on another node finds it.
  void ArrivesOnceAndTheRetryFindsIt(milliseconds limit) {
    ann_->Send(room_, "c-1", "last words");
    ASSERT_TRUE(Until([&] { return ann_->closed(); })) << "the node did not die";
    EXPECT_EQ(cluster().node(0).WaitForEnd(seconds(5)), 128 + SIGKILL);
    ASSERT_TRUE(BothHave(1, limit));

    auto again = OpenIn(1, "ann", room_);
    const Reply retry = SendAndWait(*again, room_, "c-1", "last words", true);
    ASSERT_EQ(retry.op, "ack") << retry.code;
    EXPECT_TRUE(retry.Flag("duplicate"));
    EXPECT_EQ(retry.Text("id"), bob_->room(room_).deliveries[0].id);
    EXPECT_EQ(retry.Number("seq"), bob_->room(room_).deliveries[0].seq);
    const Reply next = SendAndWait(*again, room_, "c-2", "and on");
    ASSERT_EQ(next.op, "ack") << next.code;
    ASSERT_TRUE(BothHave(2, seconds(5)));
    const std::vector<Seq> seqs{retry.Number("seq"), next.Number("seq")};
    EXPECT_EQ(SeqsOf(bob_->room(room_).deliveries), seqs);
    EXPECT_EQ(SeqsOf(cleo_->room(room_).deliveries), seqs);
    EXPECT_EQ(RowsOnce(room_, 2).size(), 2u);
  }

  std::string room_;
  std::unique_ptr<ChatSession> ann_, bob_, cleo_;
};

TEST_F(NodeFaultsTest, ANodeThatDiesBetweenLogAndCommitLosesNothing) {
  StartWithNodeThatDies("after_log");

  // The persister waits until the record is 2 s old.
  ArrivesOnceAndTheRetryFindsIt(seconds(6));
}

TEST_F(NodeFaultsTest, ANodeThatDiesBetweenCommitAndRelayLosesNothing) {
  StartWithNodeThatDies("after_commit");

  ArrivesOnceAndTheRetryFindsIt(seconds(3));
  EXPECT_GT(cluster().Sum("minichat_pulls_total", {{"cause", "sweep"}}), 0);
}

// The unary modes fail in one way, the stream in its own.
class RelayFaultsTest : public NodeFaultsTest, public testing::WithParamInterface<const char*> {
 protected:
  void StartInMode(bool relay_gates) {
    StartCluster({.flags = {{"relay.mode", GetParam()}}, .relay_gates = relay_gates});
  }
};

INSTANTIATE_TEST_SUITE_P(Cluster, RelayFaultsTest, testing::Values("bulk", "stream"),
                         [](const auto& value) { return std::string(value.param); });

TEST_P(RelayFaultsTest, TheSweepDeliversWithin1500MsWhenTheRelayIsCut) {
  StartInMode(/*relay_gates=*/true);
  const loadtest::Cluster description = cluster().Description();
  const LoadPlan plan({.nodes = 3, .rooms = 2, .members = 6, .messages = 100, .rate = 25},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  for (std::size_t i = 0; i < 3; ++i) cluster().relay_gate(i).Break();

  run.Send(seconds(10));

  ExpectComplete(plan, run);
  EXPECT_LE(run.DeliveryLatency().max, 1'500);
  EXPECT_GT(HoleAndSweepPulls(), 0);
  std::uint64_t faults = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    faults += cluster().relay_gate(i).counts().cut + cluster().relay_gate(i).counts().refused;
  }
  EXPECT_GT(faults, 0u) << "the gates did nothing";
}

TEST_P(RelayFaultsTest, TheRelayComesBackWhenTheWireDoes) {
  StartInMode(/*relay_gates=*/true);
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  auto bob = OpenIn(1, "bob", room);
  for (std::size_t i = 0; i < 3; ++i) cluster().relay_gate(i).Break();
  ASSERT_EQ(SendAndWait(*ann, room, "c-cut", "cut").op, "ack");
  ASSERT_TRUE(Until([&] { return bob->room(room).deliveries.size() == 1; }));

  for (std::size_t i = 0; i < 3; ++i) cluster().relay_gate(i).Mend();

  // Messages until one of them comes by the relay again.
  int sent = 0;
  const auto relayed = [&] {
    SendAndWait(*ann, room, "c-" + std::to_string(++sent), "again");
    return cluster().node(1).Metrics().Sum("minichat_deliveries_total", {{"path", "relay"}}) > 0;
  };
  EXPECT_TRUE(Until(relayed, seconds(5), milliseconds(100)));
}

TEST_P(RelayFaultsTest, AHungPeerCostsOnlyItsOwnUsersTime) {
  StartInMode(/*relay_gates=*/false);
  const std::string label = NewRoom();
  loadtest::Cluster healthy = cluster().Description();
  healthy.nodes.pop_back();
  const LoadPlan plan({.nodes = 2, .rooms = 1, .members = 4, .messages = 250, .rate = 50}, label);
  LoadRun run(loop(), healthy, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  auto cleo = OpenIn(2, "cleo", plan.Room(0));
  const auto start = Clock::now();
  loop().At(start + milliseconds(500), [&] { cluster().node(2).Freeze(); });
  loop().At(start + milliseconds(4'000), [&] { cluster().node(2).Thaw(); });

  run.Send(seconds(10));

  ExpectComplete(plan, run);
  EXPECT_LE(run.AckLatency().p99, 1'000);
  EXPECT_LE(run.DeliveryLatency().p99, 1'000);
  EXPECT_TRUE(Until([&] { return cleo->room(plan.Room(0)).deliveries.size() == 250; }))
      << cleo->room(plan.Room(0)).deliveries.size();
  EXPECT_EQ(IdsOf(cleo->room(plan.Room(0)).deliveries), IdsOf(run.ViewOf(0, 0).deliveries));
}

TEST_P(RelayFaultsTest, ANodeLeavesInTimeWhileAPeerHangs) {
  StartInMode(/*relay_gates=*/false);
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  auto cleo = OpenIn(2, "cleo", room);
  ASSERT_EQ(SendAndWait(*ann, room, "c-1", "hi").op, "ack");
  ASSERT_TRUE(Until([&] { return cleo->room(room).deliveries.size() == 1; }));
  cluster().node(2).Freeze();
  ASSERT_EQ(SendAndWait(*ann, room, "c-2", "on its way to a node that hangs").op, "ack");

  cluster().node(0).Terminate();

  EXPECT_EQ(cluster().node(0).WaitForEnd(seconds(10)), 0);
  cluster().node(2).Thaw();
  EXPECT_TRUE(Until([&] { return cleo->room(room).deliveries.size() == 2; }));
}

// Users on all nodes who reconnect, resume and resend, and what they did together.
class LeavingNodesTest : public ClusterTest {
 protected:
  void StartUsers(std::size_t count) {
    room_ = NewRoom();
    for (std::size_t i = 0; i < count; ++i) {
      users_.push_back(std::make_unique<RoamingUser>(loop(), cluster().ClientEndpoints(), i % 3,
                                                     "user-" + std::to_string(i),
                                                     std::vector<std::string>{room_}));
    }
    ASSERT_TRUE(Until([&] { return All([](RoamingUser& user) { return user.settled(); }); }));
  }

  bool All(const std::function<bool(RoamingUser&)>& holds) {
    return std::all_of(users_.begin(), users_.end(), [&](auto& user) { return holds(*user); });
  }

  void SendEvery(milliseconds interval, std::size_t count) {
    if (count == 0) return;
    RoamingUser& user = *users_[sent_ % users_.size()];
    const std::string cid = "c-" + std::to_string(sent_++);
    user.Send(room_, cid, cid);
    loop().At(Clock::now() + interval, [this, interval, count] { SendEvery(interval, count - 1); });
  }

  // Everything sent was acknowledged, stored once, and received once and in order by all.
  void ExpectWhole() {
    ASSERT_TRUE(
        Until([&] { return All([](RoamingUser& u) { return u.pending() == 0; }); }, seconds(30)));
    const auto everywhere = [&] {
      return All([&](RoamingUser& user) { return user.room(room_).ids.size() == sent_; });
    };
    EXPECT_TRUE(Until(everywhere, seconds(20)));
    const auto rows = RowsOnce(room_, sent_);
    EXPECT_EQ(rows.size(), sent_);
    for (const auto& user : users_) {
      EXPECT_EQ(IdsOf(user->room(room_).deliveries), IdsOf(rows)) << user->user();
      EXPECT_EQ(user->room(room_).twice, 0u) << user->user();
      EXPECT_EQ(user->room(room_).out_of_order, 0u) << user->user();
    }
  }

  // For a failure's text.
  std::string Accounts() const {
    std::string text;
    for (const auto& user : users_) {
      text += user->user() + ": " + std::to_string(user->connects()) + " connects, " +
              std::to_string(user->pending()) + " pending, settled " +
              std::to_string(user->settled()) + "\n";
    }
    return text;
  }

  std::string room_;
  std::vector<std::unique_ptr<RoamingUser>> users_;
  std::size_t sent_ = 0;
};

TEST_F(LeavingNodesTest, NodesLeaveOneByOneUnderLoadAndNothingIsLost) {
  constexpr std::size_t kMessages = 1'200;
  StartCluster();
  StartUsers(6);
  std::vector<std::unique_ptr<ChatSession>> watchers;
  for (std::size_t i = 0; i < 3; ++i) watchers.push_back(OpenIn(i, "watcher", room_));
  SendEvery(milliseconds(10), kMessages);

  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(Until([&] { return sent_ >= 300 * (i + 1); }));
    NodeProcess& node = cluster().node(i);
    node.Terminate();
    const auto asked = Clock::now();
    EXPECT_TRUE(Until([&] { return !node.running(); }, seconds(10), milliseconds(20)));
    EXPECT_LE(Clock::now() - asked, seconds(10));
    EXPECT_EQ(node.WaitForEnd(seconds(1)), 0);
    EXPECT_TRUE(Until([&] { return watchers[i]->closed(); }));
    EXPECT_EQ(watchers[i]->bye(), "draining");
    EXPECT_EQ(watchers[i]->close_info().code, 1012);
    cluster().Restart(i);
  }

  ASSERT_TRUE(Until([&] { return sent_ == kMessages; }, seconds(30)));
  ExpectWhole();
}

TEST_F(LeavingNodesTest, ABurstBeforeSigtermIsStoredIfItWasAcknowledged) {
  StartCluster({.flags = {{"limits.messages_per_s", "50000"}}});
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  std::vector<ChatSession::Rid> sends;
  sends.reserve(2'000);
  for (int i = 0; i < 2'000; ++i) {
    sends.push_back(ann->Send(room, "c-" + std::to_string(i), "burst"));
  }
  ASSERT_TRUE(Until([&] { return ann->Find(sends[100]) != nullptr; }));

  cluster().node(0).Terminate();

  ASSERT_TRUE(Until([&] { return ann->closed(); }, seconds(12)));
  EXPECT_EQ(cluster().node(0).WaitForEnd(seconds(10)), 0);
  std::set<std::string> acked;
  for (const auto rid : sends) {
    const Reply* reply = ann->Find(rid);
    if (reply != nullptr && reply->ok()) acked.insert(reply->Text("id"));
  }
  EXPECT_GT(acked.size(), 100u);
  const auto stored = [&] {
    std::size_t found = 0;
    for (const StoredRow& row : Rows(room)) found += acked.contains(row.id) ? 1 : 0;
    return found == acked.size();
  };
  EXPECT_TRUE(Until(stored, seconds(20), milliseconds(200)));
  std::vector<std::string> ids = IdsOf(Rows(room));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

// What has no row when Redis goes too gets a second number: a user who resumes would see it twice.
TEST_F(LeavingNodesTest, AStopOfTheWholeClusterLeavesNoMessageWithoutARow) {
  StartCluster({.flags = {{"limits.messages_per_s", "50000"}}});
  const std::string room = NewRoom();
  std::vector<std::unique_ptr<ChatSession>> users;
  std::vector<std::vector<ChatSession::Rid>> sends(cluster().size());
  for (std::size_t i = 0; i < cluster().size(); ++i) {
    users.push_back(OpenIn(i, "user" + std::to_string(i), room));
    for (int k = 0; k < 1'000; ++k) {
      sends[i].push_back(users[i]->Send(room, "c-" + std::to_string(k), "the last words"));
    }
  }
  ASSERT_TRUE(Until([&] { return users.back()->Find(sends.back()[100]) != nullptr; }));

  for (std::size_t i = 0; i < cluster().size(); ++i) cluster().node(i).Terminate();

  std::set<std::string> acked;
  for (std::size_t i = 0; i < cluster().size(); ++i) {
    EXPECT_TRUE(Until([&] { return users[i]->closed(); }, seconds(12)));
    EXPECT_EQ(cluster().node(i).WaitForEnd(seconds(12)), 0);
    for (const auto rid : sends[i]) {
      const Reply* reply = users[i]->Find(rid);
      if (reply != nullptr && reply->ok()) acked.insert(reply->Text("id"));
    }
  }
  EXPECT_GT(acked.size(), 100u);
  for (const StoredRow& row : Rows(room)) acked.erase(row.id);
  EXPECT_EQ(acked.size(), 0u) << "acknowledged, without a row";
}

TEST_F(LeavingNodesTest, UsersOfAKilledNodeResumeElsewhere) {
  StartCluster();
  StartUsers(6);
  SendEvery(milliseconds(10), 600);
  ASSERT_TRUE(Until([&] { return sent_ >= 200; }));

  cluster().node(0).Kill();

  ASSERT_TRUE(Until([&] { return sent_ == 600; }, seconds(20)));
  ExpectWhole();
  EXPECT_GT(users_[0]->connects(), 1u);
}

}  // namespace
}  // namespace minichat::test
