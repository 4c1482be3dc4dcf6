// What the lab switches off or makes otherwise: repair, and one hand-over for all local recipients.
#include <utility>

#include <gtest/gtest.h>

#include "server/core/core_test_support.h"

namespace minichat::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Strings = std::vector<std::string>;

// Keeps tasks until it is told to run them, in whatever order.
class HeldTasks final : public RecipientTasks {
 public:
  void Run(Scheduler::Work work) override { held.push_back(std::move(work)); }

  void RunInOrder() {
    for (const auto& work : std::exchange(held, {})) work();
  }
  void RunBackwards() {
    const auto works = std::exchange(held, {});
    for (auto it = works.rbegin(); it != works.rend(); ++it) (*it)();
  }

  std::vector<Scheduler::Work> held;
};

class LabTest : public testing::Test {
 protected:
  // An event as another node relays it to `to`.
  void Relay(ChatNode& node, const FakeClient& to, Seq seq) {
    auto event = std::make_shared<Event>();
    event->room = RoomId("general");
    event->place = {seq, seq - 1, 1};
    event->id = IdOf(event->room, UserId("far"), ClientMessageId(std::to_string(seq)));
    event->encoded = std::make_shared<const std::string>(std::to_string(seq) + ":far");
    const auto results = node.OnRelayed(node.self().incarnation, event, {to.id});
    EXPECT_EQ(results, std::vector<RelayResult>{RelayResult::kQueued});
  }
  double Pulls() const {
    const CoreMetrics& metrics = cluster_.metrics;
    return metrics.pulls_hole.Value() + metrics.pulls_sweep.Value() + metrics.pulls_join.Value() +
           metrics.pulls_resume.Value();
  }

  FakeCluster cluster_;
};

class UnrepairedTest : public LabTest {
 protected:
  UnrepairedTest() { cluster_.options.repair = false; }
};

TEST_F(UnrepairedTest, EventsGoOutAsTheyComeAndNoneTwice) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann");
  Ok(ann.Join("general"));

  for (const Seq seq : {2, 3, 1, 3, 2, 1, 4, 4}) Relay(node, ann, seq);
  cluster_.scheduler.Advance(seconds(3));

  EXPECT_EQ(ann.link->got, (Strings{"2:far", "3:far", "1:far", "4:far"}));
  EXPECT_EQ(Pulls(), 0);
}

TEST_F(UnrepairedTest, WhatTheRelayLostStaysLost) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));
  FakeClient ann(cluster_, n1, "ann"), bob(cluster_, n2, "bob");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));
  cluster_.relay.losing = true;
  Ok(ann.Send("general", "c1", "lost"));
  cluster_.relay.losing = false;

  Ok(ann.Send("general", "c2", "found"));
  cluster_.scheduler.Advance(seconds(5));

  EXPECT_EQ(ann.link->got, (Strings{"1:lost", "2:found"}));
  EXPECT_EQ(bob.link->got, (Strings{"2:found"}));
  EXPECT_EQ(Pulls(), 0);
}

TEST_F(UnrepairedTest, AJoinPullsForItsOwnSessionAndRepairsNobodyElse) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));
  FakeClient ann(cluster_, n1, "ann"), bob(cluster_, n2, "bob"), cid(cluster_, n2, "cid");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));
  cluster_.relay.losing = true;
  Ok(ann.Send("general", "c1", "lost"));
  cluster_.relay.losing = false;

  Ok(cid.Join("general", 0));
  Ok(ann.Send("general", "c2", "next"));
  cluster_.scheduler.Advance(seconds(3));

  EXPECT_EQ(cid.link->got, (Strings{"1:lost", "2:next"}));
  EXPECT_EQ(bob.link->got, (Strings{"2:next"}));
  EXPECT_EQ(cluster_.metrics.pulls_join.Value(), 1);
}

TEST_F(UnrepairedTest, WhatCameAheadIsNotRepeatedByThePullOfAJoin) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));
  FakeClient ann(cluster_, n1, "ann"), bob(cluster_, n2, "bob");
  Ok(ann.Join("general"));
  for (int i = 1; i <= 3; ++i) Ok(ann.Send("general", "c" + std::to_string(i), "m"));

  // The join's answer is there, its pull is not: an event overtakes it.
  bob.link->room = 0;
  Ok(bob.Join("general", 0));
  Relay(n2, bob, 3);
  bob.link->room = 100;
  n2.OnDrained(bob.id);
  cluster_.scheduler.Advance(seconds(3));

  EXPECT_EQ(bob.link->got, (Strings{"3:far", "1:m", "2:m"}));
}

TEST_F(UnrepairedTest, NothingReachesASessionBeforeItsResumeIsAnswered) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));
  FakeClient ann(cluster_, n1, "ann"), bob(cluster_, n2, "bob");
  Ok(ann.Join("general"));
  for (int i = 1; i <= 3; ++i) Ok(ann.Send("general", "c" + std::to_string(i), "m"));
  std::size_t got_before_answer = 99;

  n2.Resume(bob.id, {{RoomId("general"), 1}},
            [&](const auto&) { got_before_answer = bob.link->got.size(); });
  cluster_.scheduler.Advance(seconds(1));

  EXPECT_EQ(got_before_answer, 0u);
  EXPECT_EQ(bob.link->got, (Strings{"2:m", "3:m"}));
  EXPECT_EQ(cluster_.metrics.pulls_resume.Value(), 1);
}

class RecipientTasksTest : public LabTest {
 protected:
  RecipientTasksTest() { cluster_.recipient_tasks = &tasks_; }

  HeldTasks tasks_;
};

TEST_F(RecipientTasksTest, EachLocalRecipientIsATaskAlsoTheSenderAndARelayedOneIsNone) {
  ChatNode& n1 = cluster_.AddNode("n1");
  ChatNode& n2 = cluster_.AddNode("n2");
  cluster_.scheduler.Advance(seconds(2));
  FakeClient ann(cluster_, n1, "ann"), bob(cluster_, n1, "bob"), cid(cluster_, n2, "cid");
  for (FakeClient* client : {&ann, &bob, &cid}) Ok(client->Join("general"));

  Ok(ann.Send("general", "c1", "hi"));

  EXPECT_EQ(tasks_.held.size(), 2u);
  EXPECT_EQ(cid.link->got, (Strings{"1:hi"}));
  EXPECT_TRUE(ann.link->got.empty() && bob.link->got.empty());
  tasks_.RunInOrder();
  EXPECT_EQ(ann.link->got, (Strings{"1:hi"}));
  EXPECT_EQ(bob.link->got, (Strings{"1:hi"}));
  EXPECT_EQ(cluster_.metrics.deliveries_local.Value(), 2);
}

TEST_F(RecipientTasksTest, TasksThatOvertakeEachOtherBreakNoOrderWhileRepairIsOn) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann"), bob(cluster_, node, "bob");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));
  for (int i = 1; i <= 3; ++i) {
    Ok(ann.Send("general", "c" + std::to_string(i), "m", milliseconds(5)));
  }
  ASSERT_EQ(tasks_.held.size(), 6u);

  tasks_.RunBackwards();
  cluster_.scheduler.Advance(seconds(3));

  EXPECT_EQ(ann.link->got, (Strings{"1:m", "2:m", "3:m"}));
  EXPECT_EQ(bob.link->got, (Strings{"1:m", "2:m", "3:m"}));
}

TEST_F(RecipientTasksTest, WithoutRepairTheyGoOutAsTheTasksRun) {
  cluster_.options.repair = false;
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann");
  Ok(ann.Join("general"));
  for (int i = 1; i <= 3; ++i) {
    Ok(ann.Send("general", "c" + std::to_string(i), "m", milliseconds(5)));
  }

  tasks_.RunBackwards();

  EXPECT_EQ(ann.link->got, (Strings{"3:m", "2:m", "1:m"}));
}

TEST_F(RecipientTasksTest, ATaskOfASessionThatIsGoneDoesNothing) {
  ChatNode& node = cluster_.AddNode("n1");
  FakeClient ann(cluster_, node, "ann"), bob(cluster_, node, "bob");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));
  Ok(ann.Send("general", "c1", "hi"));
  ASSERT_EQ(tasks_.held.size(), 2u);

  bob.Close();
  tasks_.RunInOrder();

  EXPECT_EQ(ann.link->got, (Strings{"1:hi"}));
  EXPECT_TRUE(bob.link->got.empty());
}

}  // namespace
}  // namespace minichat::core
