// Who is told of whose coming and going, on virtual time.
#include <gtest/gtest.h>

#include "server/core/core_test_support.h"

namespace minichat::core {
namespace {

using namespace std::chrono_literals;
using Told = std::vector<std::string>;

constexpr Duration kSettled = 4'500ms;    // seen, held, told
constexpr Duration kPromised = 10'000ms;  // after a crash
constexpr Duration kCrashed = 7'500ms;    // a heartbeat's TTL, a beat

// Two nodes, a room, and dan on n1, who watches.
class PresenceTest : public testing::Test {
 protected:
  void SetUp() override { StartNodes({"n1", "n2"}); }

  void StartNodes(const std::vector<std::string>& names) {
    for (const std::string& name : names) nodes_.push_back(&cluster_.AddNode(name));
    Pass(7s);  // the nodes have known each other for long
    dan_ = In(0, "dan");
    Pass(kSettled);
  }

  std::unique_ptr<FakeClient> In(std::size_t node, const std::string& user,
                                 const std::string& room = "general") {
    auto client = std::make_unique<FakeClient>(cluster_, *nodes_[node], user);
    Ok(client->Join(room));
    return client;
  }
  void Pass(Duration time) { cluster_.scheduler.Advance(time); }
  // The node's end without a word: its beats stop.
  void Kill(std::size_t node) {
    cluster_.relay.receivers.erase(nodes_[node]->self().name);
    cluster_.nodes[node].reset();
  }
  double Reads() { return cluster_.metrics.presence_reads.Value(); }
  // What dan was told since the last time.
  Told News() { return std::exchange(dan_->link->told, {}); }

  FakeCluster cluster_;
  std::vector<ChatNode*> nodes_;
  std::unique_ptr<FakeClient> dan_;
};

TEST_F(PresenceTest, TellsWhoComesAndGoes) {
  auto ann = In(1, "ann");
  Pass(1s);
  EXPECT_EQ(News(), Told{});
  Pass(kSettled);
  EXPECT_EQ(News(), Told{"+ann"});

  ann->Close();
  Pass(1s);
  EXPECT_EQ(News(), Told{});
  Pass(kSettled);

  EXPECT_EQ(News(), Told{"-ann"});
}

TEST_F(PresenceTest, TellsOnItsOwnNodeToo) {
  auto ann = In(0, "ann");
  Pass(kSettled);
  EXPECT_EQ(News(), Told{"+ann"});
  EXPECT_EQ(ann->link->told, Told{});  // nobody needs to hear of oneself
  std::optional<ClientResult<RoomId>> left;
  nodes_[0]->Leave(ann->id, RoomId("general"), [&](ClientResult<RoomId> got) { left = got; });
  Pass(kSettled);

  EXPECT_EQ(News(), Told{"-ann"});
}

TEST_F(PresenceTest, AJoinBringsNoList) {
  auto ann = In(1, "ann");
  Pass(kSettled);
  EXPECT_EQ(ann->link->told, Told{});

  auto again = In(0, "dan");
  Pass(kSettled);

  EXPECT_EQ(again->link->told, Told{});
  EXPECT_EQ(ann->link->told, Told{});
  EXPECT_EQ(News(), Told{"+ann"});
}

// Case C06.
TEST_F(PresenceTest, DevicesOfAUserCountAsOne) {
  auto phone = In(0, "ann");
  Pass(kSettled);
  auto laptop = In(1, "ann");
  auto tablet = In(1, "ann");
  Pass(kSettled);
  EXPECT_EQ(News(), Told{"+ann"});

  phone->Close();
  tablet->Close();
  Pass(kSettled);
  EXPECT_EQ(News(), Told{});
  laptop->Close();
  Pass(kSettled);

  EXPECT_EQ(News(), Told{"-ann"});
}

TEST_F(PresenceTest, AReconnectWithinTwoSecondsIsSilent) {
  auto ann = In(1, "ann");
  Pass(kSettled);
  News();

  ann->Close();
  Pass(1'900ms);
  ann = In(0, "ann");
  Pass(kSettled);

  EXPECT_EQ(News(), Told{});
}

TEST_F(PresenceTest, AVisitOfASecondIsSilent) {
  auto ann = In(1, "ann");
  Pass(1s);
  ann->Close();
  Pass(kSettled);

  EXPECT_EQ(News(), Told{});
}

TEST_F(PresenceTest, UsersOfADeadNodeAreGoneWithinTenSeconds) {
  auto ann = In(1, "ann");
  auto bob = In(1, "bob");
  Pass(kSettled);
  News();
  const double reads = Reads();

  Kill(1);
  Pass(4s);
  EXPECT_EQ(News(), Told{});
  Pass(kPromised - 4s);

  EXPECT_EQ(News(), (Told{"-ann", "-bob"}));
  EXPECT_LE(Reads(), reads + 1);  // once the janitor has changed the routes
}

// Whatever the moments of death, sweep, beat and janitor.
TEST_F(PresenceTest, UsersOfADeadNodeAreToldToBeGoneAsSoonAsItIs) {
  for (int i = 0; i < 40; ++i) {
    auto ann = In(1, "ann");
    Pass(kSettled);
    ASSERT_EQ(News(), Told{"+ann"}) << i;
    Pass(i * 73ms);

    Kill(1);
    Pass(kCrashed);

    ASSERT_EQ(News(), Told{"-ann"}) << i;
    nodes_[1] = &cluster_.AddNode("n2");
    std::swap(cluster_.nodes[1], cluster_.nodes.back());
    cluster_.nodes.pop_back();
    Pass(7s);
  }
}

TEST_F(PresenceTest, ANodeThatComesBackWipesAndInheritsNothing) {
  auto ann = In(1, "ann");
  auto bob = In(0, "bob");
  Pass(kSettled);
  News();

  Kill(1);
  Pass(3s);
  nodes_[1] = &cluster_.AddNode("n2");  // takes its name back, as another incarnation
  Pass(7s);
  ASSERT_TRUE(nodes_[1]->ready());
  EXPECT_EQ(News(), Told{"-ann"});
  auto cleo = In(1, "cleo");
  const auto who = Ok(cleo->Who({RoomId("general"), {}})).users;
  Pass(kSettled);

  EXPECT_EQ(News(), Told{"+cleo"});
  const std::vector<std::pair<UserId, std::size_t>> expected = {
      {UserId("bob"), 1}, {UserId("cleo"), 1}, {UserId("dan"), 1}};
  EXPECT_EQ(who, expected);
}

TEST_F(PresenceTest, AQuietRoomIsNotReadAgain) {
  auto ann = In(1, "ann");
  Pass(kSettled);
  const double reads = Reads();

  Ok(ann->Send("general", "c-1", "hi"));
  Pass(60s);

  EXPECT_EQ(Reads(), reads);
  ann->Close();
  Pass(kSettled);
  EXPECT_EQ(Reads(), reads + 1);
}

TEST_F(PresenceTest, ManyChangesInOneSecondAreOneRead) {
  const double reads = Reads();
  std::vector<std::unique_ptr<FakeClient>> users;
  for (int i = 0; i < 10; ++i) {
    users.push_back(std::make_unique<FakeClient>(cluster_, *nodes_[0], "u" + std::to_string(i)));
    nodes_[0]->Join(users.back()->id, RoomId("general"), {}, [](const auto&) {});
  }
  Pass(kSettled);

  EXPECT_EQ(Reads(), reads + 1);
  EXPECT_EQ(News().size(), 10u);
}

TEST_F(PresenceTest, WhatCouldNotBeReadIsReadLater) {
  auto ann = In(1, "ann");
  cluster_.directory.failing = true;
  Pass(5s);
  EXPECT_EQ(News(), Told{});
  cluster_.directory.failing = false;
  Pass(kSettled);

  EXPECT_EQ(News(), Told{"+ann"});
}

TEST_F(PresenceTest, WhoWasShownAShortAbsenceHearsOfItsEnd) {
  auto ann = In(1, "ann");
  Pass(kSettled);
  News();

  ann->Close();
  EXPECT_EQ(Ok(dan_->Who({RoomId("general"), {}})).users.size(), 1u);
  Pass(500ms);
  ann = In(0, "ann");
  Pass(kSettled);

  EXPECT_EQ(News(), Told{"+ann"});
}

TEST_F(PresenceTest, WhoWasShownAShortVisitHearsOfItsEnd) {
  auto ann = In(1, "ann");
  EXPECT_EQ(Ok(dan_->Who({RoomId("general"), {}})).users.size(), 2u);
  ann->Close();
  Pass(kSettled);

  EXPECT_EQ(News(), Told{"-ann"});
}

TEST_F(PresenceTest, AnAbsenceOfTheDirectoryMakesNobodyGo) {
  auto ann = In(1, "ann");
  Pass(kSettled);
  News();

  // All entries ran out; each node comes back at its own time, and misses the other for a while.
  for (ChatNode* node : nodes_) {
    const NodeIdentity identity{node->self(), 1};
    cluster_.directory.Unregister(identity, Deadline::After(cluster_.scheduler, 1s),
                                  [](const Status&) {});
  }
  Pass(kPromised);

  EXPECT_EQ(News(), Told{});
  EXPECT_EQ(ann->link->told, Told{});
}

class CrowdedRoomTest : public PresenceTest {
 protected:
  void SetUp() override {
    cluster_.options.presence_sessions = 3;
    StartNodes({"n1", "n2"});
  }
};

TEST_F(CrowdedRoomTest, GetsNoNoticesAndIsNotRead) {
  auto ann = In(1, "ann");
  auto bob = In(1, "bob");
  Pass(kSettled);
  EXPECT_EQ(News(), (Told{"+ann", "+bob"}));
  auto cleo = In(1, "cleo");
  Pass(kSettled);
  const double reads = Reads();
  cleo->Close();
  cleo = In(0, "cleo");
  Pass(kSettled);
  EXPECT_EQ(News(), Told{});
  EXPECT_EQ(Reads(), reads);
  EXPECT_EQ(Ok(dan_->Who({RoomId("general"), {}})).users.size(), 4u);

  // With room again, what is otherwise than was told last is told.
  ann->Close();
  Pass(kSettled);

  EXPECT_EQ(News(), (Told{"-ann", "+cleo"}));
}

class NoPresenceTest : public PresenceTest {
 protected:
  void SetUp() override {
    cluster_.options.presence_sessions = 0;
    StartNodes({"n1", "n2"});
  }
};

TEST_F(NoPresenceTest, TellsNothingAndReadsNothing) {
  auto ann = In(1, "ann");
  Pass(kSettled);

  EXPECT_EQ(News(), Told{});
  EXPECT_EQ(Reads(), 0);
  EXPECT_EQ(Ok(dan_->Who({RoomId("general"), {}})).users.size(), 2u);
}

TEST_F(PresenceTest, ManyChangesGoOutInTurns) {
  std::vector<std::unique_ptr<FakeClient>> users;
  for (int i = 0; i < 150; ++i) {
    users.push_back(std::make_unique<FakeClient>(cluster_, *nodes_[1], "u" + std::to_string(i)));
    nodes_[1]->Join(users.back()->id, RoomId("general"), {}, [](const auto&) {});
  }
  // In each millisecond no more than a session's lane for notices takes.
  std::size_t most = 0;
  std::size_t all = 0;
  for (Duration passed{}; passed < kSettled; passed += 1ms) {
    Pass(1ms);
    const std::size_t now = News().size();
    most = std::max(most, now);
    all += now;
  }

  EXPECT_EQ(all, 150u);
  EXPECT_LE(most, 64u);
}

}  // namespace
}  // namespace minichat::core
