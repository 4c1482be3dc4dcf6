#include "storage/memory/directory_state.h"

#include <gtest/gtest.h>

namespace minichat::memory {
namespace {

using core::CommitReply;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kRun[] = "run1";
const core::RoomId kRoom("general");

class DirectoryStateTest : public testing::Test {
 protected:
  static core::DirectoryLimits SmallLimits() {
    core::DirectoryLimits limits;
    limits.dedup_ttl = seconds(20);
    limits.room_ttl = seconds(5);
    limits.window_events = 3;
    limits.generation_step = 1000;
    return limits;
  }

  void SetUp() override { OpenGeneration(1); }

  void OpenGeneration(core::Generation number) {
    state_.SetGeneration(now_ms_, kRun, number, state_.GetGeneration(kRun));
    ASSERT_EQ(number, state_.GetGeneration(kRun).number);
  }

  core::WarmOutcome WarmRoom(core::Generation generation, core::Seq max_seq = 0,
                             bool recently_used = false) {
    state_.Lease(now_ms_, kRoom, "token", generation);
    return state_.Warm(now_ms_, {kRoom, generation, "token", max_seq, recently_used});
  }

  core::CommitRequest Request(const std::string& cid, const std::string& body = "hi",
                              core::Generation generation = 1) {
    core::CommitRequest request;
    request.message = core::MakeMessage(kRoom, core::UserId("ann"), core::ClientMessageId(cid),
                                        core::BodyKind::kText, body, now_ms_);
    request.attempt = ++attempts_;
    request.generation = generation;
    return request;
  }

  CommitReply Commit(const std::string& cid, const std::string& body = "hi",
                     core::Generation generation = 1) {
    return state_.Commit(now_ms_, Request(cid, body, generation));
  }

  void Mark(const std::string& cid, core::Seq seq, core::Generation generation = 1) {
    state_.MarkStored(now_ms_, kRoom, {{Request(cid).message->id, seq}}, generation);
  }

  core::NodeIdentity Node(const std::string& name, const std::string& incarnation,
                          core::Generation generation = 1) {
    return {{core::NodeName(name), core::Incarnation(incarnation), ""}, generation};
  }

  core::WindowReply Window(core::Seq after = 0, std::size_t limit = 100, bool from_end = false) {
    return state_.Window(now_ms_, {kRoom, 1, after, core::kMaxSeq, limit, from_end});
  }

  core::RoomHead Head(core::Generation generation = 1) {
    return state_.Heads(now_ms_, {kRoom}, generation).front();
  }

  std::int64_t now_ms_ = 1'000'000;
  core::Attempt attempts_ = 0;
  DirectoryState state_{SmallLimits()};
};

TEST_F(DirectoryStateTest, FirstMarkForARunIdWins) {
  const core::GenerationMark none;

  const core::GenerationMark late = state_.SetGeneration(now_ms_, kRun, 7, none);

  EXPECT_EQ(1u, late.number);
  EXPECT_EQ(core::GenerationMark{}, state_.GetGeneration("run2"));
}

TEST_F(DirectoryStateTest, CommitNumbersMessagesAndAnswersRetriesWithTheSamePlace) {
  EXPECT_EQ(CommitReply::Outcome::kCold, Commit("c1").outcome);
  ASSERT_EQ(core::WarmOutcome::kDone, WarmRoom(1));

  const CommitReply first = Commit("c1");
  const CommitReply second = Commit("c2");
  const CommitReply again = Commit("c1");

  EXPECT_EQ((core::Place{1, 0, 1}), first.place);
  EXPECT_EQ((core::Place{2, 1, 1}), second.place);
  EXPECT_FALSE(second.duplicate);
  EXPECT_EQ(first.place, again.place);
  EXPECT_TRUE(again.duplicate);
  EXPECT_FALSE(again.own_attempt);
}

TEST_F(DirectoryStateTest, CommitThatFindsItsOwnAttemptSaysSo) {
  WarmRoom(1);
  const core::CommitRequest request = Request("c1");
  state_.Commit(now_ms_, request);

  const CommitReply again = state_.Commit(now_ms_, request);

  EXPECT_TRUE(again.duplicate);
  EXPECT_TRUE(again.own_attempt);
}

TEST_F(DirectoryStateTest, AnotherTextUnderTheSameCidIsAConflict) {
  WarmRoom(1);
  Commit("c1", "one");

  const CommitReply reply = Commit("c1", "two");

  EXPECT_EQ(CommitReply::Outcome::kConflict, reply.outcome);
  EXPECT_EQ(1u, reply.place.seq);
}

TEST_F(DirectoryStateTest, UnstoredMessageIsKnownBeyondTheDedupTtl) {
  WarmRoom(1);
  Commit("c1");
  now_ms_ += 21'000;

  EXPECT_TRUE(Commit("c1").duplicate);
}

TEST_F(DirectoryStateTest, StoredMessageIsForgottenAfterTheDedupTtl) {
  WarmRoom(1);
  Commit("c1");
  Mark("c1", 1);
  Commit("c2");  // keeps the room warm
  now_ms_ += 21'000;

  EXPECT_FALSE(Commit("c1").duplicate);
}

TEST_F(DirectoryStateTest, MissOfAResendMustBeLookedUpAndTheProofAges) {
  WarmRoom(1);
  Commit("c0");  // keeps the room warm
  core::CommitRequest request = Request("c1");
  request.resend = true;

  const CommitReply miss = state_.Commit(now_ms_, request);
  ASSERT_EQ(CommitReply::Outcome::kMiss, miss.outcome);
  request.looked_up = miss.miss;
  now_ms_ += 10'001;
  const CommitReply too_late = state_.Commit(now_ms_, request);
  request.looked_up = too_late.miss;
  const CommitReply placed = state_.Commit(now_ms_, request);

  EXPECT_EQ(CommitReply::Outcome::kMiss, too_late.outcome);
  EXPECT_EQ(CommitReply::Outcome::kPlaced, placed.outcome);
}

TEST_F(DirectoryStateTest, LookedUpMissOfAnotherGenerationProvesNothing) {
  WarmRoom(1);
  core::CommitRequest request = Request("c1");
  request.resend = true;
  request.looked_up = core::LookedUpMiss{now_ms_, 2};

  EXPECT_EQ(CommitReply::Outcome::kMiss, state_.Commit(now_ms_, request).outcome);
}

TEST_F(DirectoryStateTest, YoungGenerationLooksUpMissesInRecentlyUsedRoomsOnly) {
  WarmRoom(1, 0, true);
  EXPECT_EQ(CommitReply::Outcome::kMiss, Commit("c1").outcome);
  now_ms_ += 6'000;  // the room has gone cold
  WarmRoom(1, 0, false);
  EXPECT_EQ(CommitReply::Outcome::kPlaced, Commit("c1").outcome);
}

TEST_F(DirectoryStateTest, OldGenerationTrustsItsMisses) {
  now_ms_ += 26'000;
  WarmRoom(1, 0, true);

  EXPECT_EQ(CommitReply::Outcome::kPlaced, Commit("c1").outcome);
}

TEST_F(DirectoryStateTest, FullWindowRefusesNewMessagesAndStillKnowsOldOnes) {
  core::DirectoryLimits limits = SmallLimits();
  limits.window_bytes_per_room = 400;
  state_ = DirectoryState(limits);
  OpenGeneration(1);
  WarmRoom(1);
  ASSERT_EQ(CommitReply::Outcome::kPlaced, Commit("c1", std::string(200, 'x')).outcome);

  EXPECT_EQ(CommitReply::Outcome::kFull, Commit("c2", std::string(200, 'x')).outcome);
  EXPECT_TRUE(Commit("c1", std::string(200, 'x')).duplicate);
}

TEST_F(DirectoryStateTest, BytesOfAllWindowsAreGivenBackWhenRoomsExpire) {
  WarmRoom(1);
  Commit("c1");
  Mark("c1", 1);
  ASSERT_GT(state_.window_bytes(), 0u);
  now_ms_ += 5'000;

  state_.CleanDeadRoutes(now_ms_, 1);

  EXPECT_EQ(0u, state_.window_bytes());
  EXPECT_TRUE(Head().cold);
}

TEST_F(DirectoryStateTest, NewGenerationStartsAboveItsFloorAndForgetsTheOld) {
  WarmRoom(1);
  Commit("c1");
  OpenGeneration(2);
  ASSERT_TRUE(Head(2).cold);
  ASSERT_EQ(core::WarmOutcome::kDone, WarmRoom(2, 1));

  const CommitReply reply = Commit("c1", "hi", 2);

  EXPECT_FALSE(reply.duplicate);
  EXPECT_EQ((core::Place{1001, 1, 2}), reply.place);
}

TEST_F(DirectoryStateTest, WarmingNeedsTheMarkAndTheLease) {
  EXPECT_EQ(core::WarmOutcome::kOtherGeneration, WarmRoom(2));

  EXPECT_EQ(core::LeaseOutcome::kBusy, state_.Lease(now_ms_, kRoom, "other", 1));
  EXPECT_EQ(core::WarmOutcome::kLeaseLost, state_.Warm(now_ms_, {kRoom, 1, "other", 0, false}));
  now_ms_ += 2'000;
  EXPECT_EQ(core::WarmOutcome::kLeaseLost, state_.Warm(now_ms_, {kRoom, 1, "token", 0, false}));
  EXPECT_EQ(core::LeaseOutcome::kGranted, state_.Lease(now_ms_, kRoom, "other", 1));
  EXPECT_EQ(core::WarmOutcome::kDone, state_.Warm(now_ms_, {kRoom, 1, "other", 0, false}));
  EXPECT_EQ(core::LeaseOutcome::kOpen, state_.Lease(now_ms_, kRoom, "third", 1));
}

TEST_F(DirectoryStateTest, WindowKeepsItsLastEventsAndAllThatHasNoRow) {
  WarmRoom(1);
  for (int i = 1; i <= 6; ++i) Commit("c" + std::to_string(i));
  for (core::Seq seq : {1, 3, 4, 5, 6}) Mark("c" + std::to_string(seq), seq);
  EXPECT_EQ(2u, Window().lowest_seq);
  EXPECT_EQ(1u, Window().lowest_prev);
  EXPECT_EQ(1u, Head().stored_upto);

  Mark("c2", 2);

  EXPECT_EQ(4u, Window().lowest_seq);
  EXPECT_EQ(3u, Window().messages.size());
  EXPECT_EQ(6u, Head().stored_upto);
}

TEST_F(DirectoryStateTest, MarkOfAnotherSeqIsIgnored) {
  WarmRoom(1);
  Commit("c1");

  Mark("c1", 9);

  EXPECT_EQ(1u, state_.TakeUnstored(now_ms_, kRoom, {Request("c1").message->id}, 1).size());
}

TEST_F(DirectoryStateTest, WindowIsReadFromEitherEnd) {
  WarmRoom(1);
  for (int i = 1; i <= 4; ++i) Commit("c" + std::to_string(i));

  EXPECT_EQ(2u, Window(1, 2).messages.front().place.seq);
  EXPECT_EQ(3u, Window(1, 2).messages.back().place.seq);
  EXPECT_EQ(3u, Window(0, 2, true).messages.front().place.seq);
  EXPECT_EQ(4u, Window(0, 2, true).messages.back().place.seq);
}

TEST_F(DirectoryStateTest, OldUnstoredMessagesAreFound) {
  WarmRoom(1);
  Commit("c1");
  now_ms_ += 5'000;
  Commit("c2");

  const auto old = state_.UnstoredOlderThan(now_ms_, seconds(4), 10, 1);

  ASSERT_EQ(1u, old.size());
  EXPECT_EQ(1u, old.front().place.seq);
}

TEST_F(DirectoryStateTest, RoomWithUnstoredMessagesNeverGoesCold) {
  WarmRoom(1);
  Commit("c1");
  now_ms_ += 100'000;
  EXPECT_FALSE(Head().cold);
  Mark("c1", 1);
  now_ms_ += 5'000;
  EXPECT_TRUE(Head().cold);
}

TEST_F(DirectoryStateTest, EachChangeOfRoutesChangesTheVersion) {
  const core::Route route{core::SessionId("s1"), core::UserId("ann"), core::NodeName("n1"),
                          core::Incarnation("i1")};
  EXPECT_TRUE(state_.Join(now_ms_, kRoom, route, 1).cold);
  WarmRoom(1);

  const core::JoinOutcome join = state_.Join(now_ms_, kRoom, route, 1);
  EXPECT_EQ(join.route_version, Commit("c1").route_version);
  state_.Leave(now_ms_, kRoom, route.session, core::NodeName("n2"), 1);
  EXPECT_EQ(1u, state_.Routes(now_ms_, kRoom, 1).routes.size());
  state_.Leave(now_ms_, kRoom, route.session, route.node, 1);

  EXPECT_TRUE(state_.Routes(now_ms_, kRoom, 1).routes.empty());
  EXPECT_GT(Commit("c2").route_version, join.route_version);
}

TEST_F(DirectoryStateTest, RoutesOfDeadIncarnationsAreRemoved) {
  ASSERT_EQ(core::RegisterOutcome::kOk, state_.Register(now_ms_, Node("n1", "i1")));
  WarmRoom(1);
  const auto join = [&](const char* session, const char* incarnation) {
    state_.Join(now_ms_, kRoom,
                {core::SessionId(session), core::UserId("ann"), core::NodeName("n1"),
                 core::Incarnation(incarnation)},
                1);
  };
  join("old", "i0");
  join("new", "i1");

  state_.CleanDeadRoutes(now_ms_, 1);

  const auto routes = state_.Routes(now_ms_, kRoom, 1).routes;
  ASSERT_EQ(1u, routes.size());
  EXPECT_EQ("new", routes.front().session.value());
}

TEST_F(DirectoryStateTest, NameOfALiveNodeIsRefusedUntilItMissedTwoBeats) {
  ASSERT_EQ(core::RegisterOutcome::kOk, state_.Register(now_ms_, Node("n1", "i1")));
  EXPECT_EQ(core::RegisterOutcome::kTaken, state_.Register(now_ms_, Node("n1", "i2")));
  now_ms_ += 2'000;
  EXPECT_EQ(core::RegisterOutcome::kOk, state_.Register(now_ms_, Node("n1", "i2")));

  using Outcome = core::HeartbeatReply::Outcome;
  EXPECT_EQ(Outcome::kTaken, state_.Heartbeat(now_ms_, Node("n1", "i1")).outcome);
  EXPECT_EQ(Outcome::kOk, state_.Heartbeat(now_ms_, Node("n1", "i2")).outcome);
  EXPECT_EQ(Outcome::kGone, state_.Heartbeat(now_ms_, Node("n1", "i2", 2)).outcome);
  now_ms_ += 6'000;
  EXPECT_EQ(Outcome::kGone, state_.Heartbeat(now_ms_, Node("n1", "i2")).outcome);
}

TEST_F(DirectoryStateTest, UnregisterLeavesAnotherIncarnationAlone) {
  state_.Register(now_ms_, Node("n1", "i1"));

  state_.Unregister(Node("n1", "i0"));
  EXPECT_EQ(1u, state_.Heartbeat(now_ms_, Node("n1", "i1")).live_nodes.size());
  state_.Unregister(Node("n1", "i1"));

  EXPECT_EQ(core::HeartbeatReply::Outcome::kGone,
            state_.Heartbeat(now_ms_, Node("n1", "i1")).outcome);
}

TEST_F(DirectoryStateTest, RelayModeIsVersioned) {
  EXPECT_EQ(1u, state_.SetRelayMode("single").version);
  EXPECT_EQ((core::RelayModeSetting{2, ""}), state_.SetRelayMode(""));
}

TEST_F(DirectoryStateTest, CopyIsASnapshot) {
  WarmRoom(1);
  Commit("c1");
  DirectoryState snapshot = state_;
  Commit("c2");

  EXPECT_EQ(1u, snapshot.Heads(now_ms_, {kRoom}, 1).front().head);
  EXPECT_EQ(2u, Head().head);
}

}  // namespace
}  // namespace minichat::memory
