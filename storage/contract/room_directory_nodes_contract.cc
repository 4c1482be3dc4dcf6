// RoomDirectoryContract: nodes and routes.
#include <algorithm>

#include "storage/contract/room_directory_contract.h"

namespace minichat::contract {
namespace {

using namespace std::chrono_literals;
using Beat = core::HeartbeatReply::Outcome;

std::vector<std::string> SessionsOf(const core::RoomRoutes& routes) {
  std::vector<std::string> sessions;
  for (const core::Route& route : routes.routes) sessions.push_back(route.session.value());
  std::sort(sessions.begin(), sessions.end());
  return sessions;
}

using Sessions = std::vector<std::string>;

}  // namespace

// ---- Nodes

TEST_P(RoomDirectoryContract, TellsWhichNodesAreAlive) {
  const auto n1 = Node("n1", "i1");
  const auto n2 = Node("n2", "i2");
  directory_->Register(n2);
  directory_->Register(n1);

  const auto beat = directory_->Heartbeat(n1);

  EXPECT_EQ(beat.outcome, Beat::kOk);
  EXPECT_EQ(beat.live_nodes, (std::vector<core::NodeEntry>{n1.entry, n2.entry}));
}

TEST_P(RoomDirectoryContract, ForgetsANodeWithoutBeats) {
  const auto n1 = Node("n1", "i1");
  const auto n2 = Node("n2", "i2");
  directory_->Register(n1);
  directory_->Register(n2);
  Advance(500s);
  directory_->Heartbeat(n1);
  Advance(500s);

  EXPECT_EQ(directory_->Heartbeat(n1).live_nodes, std::vector<core::NodeEntry>{n1.entry});
  const auto late = directory_->Heartbeat(n2);
  EXPECT_EQ(late.outcome, Beat::kGone);
  EXPECT_TRUE(late.live_nodes.empty());
}

TEST_P(RoomDirectoryContract, KeepsANameForItsHolder) {
  directory_->Register(Node("n1", "old"));
  Advance(150s);

  EXPECT_EQ(directory_->Register(Node("n1", "new")), core::RegisterOutcome::kTaken);
  EXPECT_EQ(directory_->Register(Node("n1", "old")), core::RegisterOutcome::kOk);
}

TEST_P(RoomDirectoryContract, GivesANameAwayAfterTwoMissedBeats) {
  directory_->Register(Node("n1", "old"));
  Advance(250s);

  EXPECT_EQ(directory_->Register(Node("n1", "new")), core::RegisterOutcome::kOk);
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "old")).outcome, Beat::kTaken);
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "new")).live_nodes.size(), 1u);
}

TEST_P(RoomDirectoryContract, FreesANameOnACleanClose) {
  directory_->Register(Node("n1", "old"));
  directory_->Unregister(Node("n1", "other"));
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "old")).outcome, Beat::kOk);

  directory_->Unregister(Node("n1", "old"));

  EXPECT_EQ(directory_->Register(Node("n1", "new")), core::RegisterOutcome::kOk);
}

TEST_P(RoomDirectoryContract, CountsANodeOfAnotherGenerationAsAbsent) {
  directory_->Register(Node("n1", "old"));
  directory_->Register(Node("n2", "other"));
  const auto behind = Node("n2", "other");
  NextGeneration();

  EXPECT_EQ(directory_->Heartbeat(Node("n1", "old")).outcome, Beat::kGone);
  EXPECT_EQ(directory_->Heartbeat(behind).outcome, Beat::kGone);
  EXPECT_EQ(directory_->Register(Node("n1", "new")), core::RegisterOutcome::kOk);
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "new")).live_nodes.size(), 1u);
}

TEST_P(RoomDirectoryContract, TellsTheRelayModeOfTheCluster) {
  directory_->Register(Node("n1", "i1"));
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "i1")).relay_mode, core::RelayModeSetting{});

  const auto set = directory_->SetRelayMode("single");
  EXPECT_EQ(set.mode, "single");
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "i1")).relay_mode, set);
  const auto cleared = directory_->SetRelayMode("");

  EXPECT_EQ(cleared.mode, "");
  EXPECT_GT(cleared.version, set.version);
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "i1")).relay_mode, cleared);
}

TEST_P(RoomDirectoryContract, TellsAccessChangesAfterAVersion) {
  using Kind = core::AccessChange::Kind;
  const core::AccessChange removed{
      Kind::kMemberRemoved, core::UserId("ann"), core::RoomId("r"), {}, 0};
  const core::AccessChange kicked{Kind::kKicked, core::UserId("bob"), {}, core::SessionId("s1"), 0};
  const core::AccessChange revoked{Kind::kRevoked, core::UserId("ann"), {}, {}, 1'700'000'000'123};
  directory_->Register(Node("n1", "i1"));
  EXPECT_EQ(directory_->Heartbeat(Node("n1", "i1")).access_version, 0u);
  EXPECT_EQ(directory_->AccessChangesAfter(0), core::AccessNews());

  EXPECT_EQ(directory_->AddAccessChange(removed), 1u);
  EXPECT_EQ(directory_->AddAccessChange(kicked), 2u);
  EXPECT_EQ(directory_->AddAccessChange(revoked), 3u);

  EXPECT_EQ(directory_->Heartbeat(Node("n1", "i1")).access_version, 3u);
  EXPECT_EQ(directory_->AccessChangesAfter(0),
            (core::AccessNews{3, true, {removed, kicked, revoked}}));
  EXPECT_EQ(directory_->AccessChangesAfter(2), (core::AccessNews{3, true, {revoked}}));
  EXPECT_EQ(directory_->AccessChangesAfter(3), (core::AccessNews{3, true, {}}));
  // From before the directory lost its memory.
  EXPECT_EQ(directory_->AccessChangesAfter(7), (core::AccessNews{3, false, {}}));
}

TEST_P(RoomDirectoryContract, ForgetsOldAccessChangesAndSaysSo) {
  const core::AccessChange change{
      core::AccessChange::Kind::kKicked, core::UserId("ann"), {}, {}, 0};
  const std::size_t kept = core::DirectoryLimits().access_changes;
  for (std::size_t i = 0; i <= kept; ++i) directory_->AddAccessChange(change);

  const core::AccessNews all = directory_->AccessChangesAfter(0);
  const core::AccessNews most = directory_->AccessChangesAfter(1);

  EXPECT_FALSE(all.complete);
  EXPECT_EQ(all.version, kept + 1);
  EXPECT_TRUE(most.complete);
  EXPECT_EQ(most.changes.size(), kept);
}

// ---- Routes

TEST_P(RoomDirectoryContract, JoinTellsTheHeadAndSetsTheRoute) {
  Warm(room_, 5);
  const auto n1 = Node("n1", "i1").entry;

  const auto joined = directory_->Join(room_, RouteOf("s1", n1), 1);
  const auto routes = directory_->Routes(room_, 1);

  EXPECT_FALSE(joined.cold);
  EXPECT_EQ(joined.head, 5u);
  EXPECT_EQ(routes.version, joined.route_version);
  EXPECT_EQ(routes.routes, std::vector<core::Route>{RouteOf("s1", n1)});
  EXPECT_EQ(Commit(room_, "a").route_version, joined.route_version);
}

TEST_P(RoomDirectoryContract, JoinsNoColdRoom) {
  EXPECT_TRUE(directory_->Join(room_, RouteOf("s1", Node("n1", "i1").entry), 1).cold);
  EXPECT_TRUE(directory_->Routes(room_, 1).routes.empty());
}

TEST_P(RoomDirectoryContract, EachChangeOfRoutesChangesTheVersion) {
  Warm(room_);
  const auto n1 = Node("n1", "i1").entry;
  std::vector<std::uint64_t> versions = {directory_->Routes(room_, 1).version};

  directory_->Join(room_, RouteOf("s1", n1), 1);
  versions.push_back(directory_->Routes(room_, 1).version);
  directory_->Reroute(room_, {RouteOf("s2", n1), RouteOf("s3", n1)}, 1);
  versions.push_back(directory_->Routes(room_, 1).version);
  directory_->Leave(room_, core::SessionId("s1"), n1.name, 1);
  versions.push_back(directory_->Routes(room_, 1).version);

  EXPECT_EQ(std::unique(versions.begin(), versions.end()), versions.end());
  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 1)), (Sessions{"s2", "s3"}));
}

TEST_P(RoomDirectoryContract, HeadsTellTheVersionAndNumberOfRoutes) {
  const core::RoomId other("other");
  Warm(room_);
  Warm(other);
  const auto n1 = Node("n1", "i1");
  const auto n2 = Node("n2", "i2");
  directory_->Register(n2);
  const auto tell = [&] {
    const core::RoomHead head = Head(room_);
    EXPECT_EQ(head.route_version, directory_->Routes(room_, 1).version);
    return head.routes;
  };
  EXPECT_EQ(tell(), 0u);

  directory_->Join(room_, RouteOf("s1", n1.entry), 1);
  directory_->Join(room_, RouteOf("s2", n2.entry), 1);
  EXPECT_EQ(tell(), 2u);
  directory_->Join(room_, RouteOf("s2", n2.entry), 1);
  EXPECT_EQ(tell(), 2u);
  Commit(room_, "a");
  EXPECT_EQ(tell(), 2u);
  directory_->CleanDeadRoutes(1);  // n1 has no entry
  EXPECT_EQ(tell(), 1u);
  directory_->Leave(room_, core::SessionId("s2"), n2.entry.name, 1);

  EXPECT_EQ(tell(), 0u);
  const auto heads = directory_->Heads({other, core::RoomId("cold"), room_}, 1);
  EXPECT_EQ(heads[0].route_version, directory_->Routes(other, 1).version);
  EXPECT_EQ(heads[1], (core::RoomHead{.cold = true}));
  EXPECT_EQ(heads[2].route_version, directory_->Routes(room_, 1).version);
}

TEST_P(RoomDirectoryContract, RoutesTellWhoIsThereAndOnWhichNode) {
  Warm(room_);
  const auto n1 = Node("n1", "i1").entry;
  const auto n2 = Node("n2", "i2").entry;
  const core::UserId ann("ann");
  const core::Route phone{core::SessionId("s1"), ann, n1.name, n1.incarnation};
  const core::Route laptop{core::SessionId("s2"), ann, n2.name, n2.incarnation};
  directory_->Join(room_, phone, 1);
  directory_->Join(room_, laptop, 1);

  auto routes = directory_->Routes(room_, 1).routes;

  std::sort(routes.begin(), routes.end(),
            [](const auto& a, const auto& b) { return a.session < b.session; });
  EXPECT_EQ(routes, (std::vector<core::Route>{phone, laptop}));
}

TEST_P(RoomDirectoryContract, LeaveWithoutARouteChangesNothing) {
  Warm(room_);
  const auto n1 = Node("n1", "i1").entry;
  directory_->Join(room_, RouteOf("s1", n1), 1);
  const auto before = directory_->Routes(room_, 1);

  directory_->Leave(room_, core::SessionId("unknown"), n1.name, 1);
  directory_->Leave(room_, core::SessionId("s1"), core::NodeName("n2"), 1);

  EXPECT_EQ(directory_->Routes(room_, 1).version, before.version);
  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 1)), Sessions{"s1"});
}

TEST_P(RoomDirectoryContract, RoutesOutliveTheRoomsMemory) {
  Warm(room_);
  const auto n1 = Node("n1", "i1").entry;
  directory_->Join(room_, RouteOf("s1", n1), 1);
  Advance(51'000s);

  directory_->Reroute(room_, {RouteOf("s2", n1)}, 1);
  const auto cold = directory_->Routes(room_, 1);
  Warm(room_);

  EXPECT_EQ(cold.version, 0u);
  EXPECT_EQ(SessionsOf(cold), (Sessions{"s1", "s2"}));
  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 1)), (Sessions{"s1", "s2"}));
  directory_->Leave(room_, core::SessionId("s1"), n1.name, 1);
  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 1)), Sessions{"s2"});
}

TEST_P(RoomDirectoryContract, CleansRoutesOfDeadIncarnations) {
  Warm(room_);
  const auto dead = Node("n1", "dead");
  const auto live = Node("n2", "live");
  directory_->Register(dead);
  directory_->Register(live);
  directory_->Join(room_, RouteOf("s1", dead.entry), 1);
  directory_->Join(room_, RouteOf("s2", live.entry), 1);
  const auto before = directory_->Routes(room_, 1).version;
  directory_->CleanDeadRoutes(1);
  ASSERT_EQ(directory_->Routes(room_, 1).version, before);

  Advance(400s);
  directory_->Heartbeat(live);
  Advance(400s);
  directory_->CleanDeadRoutes(1);

  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 1)), Sessions{"s2"});
  EXPECT_NE(directory_->Routes(room_, 1).version, before);
}

TEST_P(RoomDirectoryContract, AJanitorOfAnotherGenerationCleansNothing) {
  NextGeneration();
  Warm(room_);
  const auto live = Node("n1", "i1");
  directory_->Register(live);
  directory_->Join(room_, RouteOf("s1", live.entry), 2);
  directory_->Join(room_, RouteOf("s2", Node("n2", "dead").entry), 2);

  directory_->CleanDeadRoutes(1);
  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 2)), (Sessions{"s1", "s2"}));
  directory_->CleanDeadRoutes(2);

  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 2)), Sessions{"s1"});
}

TEST_P(RoomDirectoryContract, CleansRoutesOfAnIncarnationWhoseNameWasTaken) {
  Warm(room_);
  const auto old = Node("n1", "old");
  const auto present = Node("n1", "new");
  directory_->Register(old);
  directory_->Join(room_, RouteOf("s1", old.entry), 1);
  directory_->Join(room_, RouteOf("s2", old.entry), 1);
  Advance(250s);
  directory_->Register(present);
  directory_->Reroute(room_, {RouteOf("s2", present.entry), RouteOf("s3", present.entry)}, 1);

  directory_->CleanDeadRoutes(1);

  EXPECT_EQ(SessionsOf(directory_->Routes(room_, 1)), (Sessions{"s2", "s3"}));
}

}  // namespace minichat::contract
