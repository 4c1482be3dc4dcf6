// RoomDirectoryContract: generations, cold and warm rooms.
#include "storage/contract/room_directory_contract.h"

namespace minichat::contract {

using namespace std::chrono_literals;
using Outcome = core::CommitReply::Outcome;

// ---- Generations

TEST_P(RoomDirectoryContract, TakesTheFirstMarkOfAMemory) {
  const auto present = directory_->GetGeneration();
  EXPECT_EQ(present.number, 1u);
  EXPECT_FALSE(present.run_id.empty());

  const auto late = directory_->SetGeneration(2, {});

  EXPECT_EQ(late, present);
  EXPECT_EQ(directory_->GetGeneration(), present);
}

TEST_P(RoomDirectoryContract, ReplacesTheMarkThatTheCallerSaw) {
  const auto first = directory_->GetGeneration();
  Advance(100s);

  const auto second = directory_->SetGeneration(2, first);

  EXPECT_EQ(second.number, 2u);
  EXPECT_EQ(second.run_id, first.run_id);
  EXPECT_EQ(second.since_ms - first.since_ms, 100'000);
}

TEST_P(RoomDirectoryContract, CountsARoomOfAnotherGenerationAsCold) {
  Warm(room_);
  Commit(room_, "a");
  NextGeneration();

  EXPECT_EQ(Commit(room_, "b").outcome, Outcome::kCold);
  EXPECT_TRUE(Window(room_).cold);
  EXPECT_TRUE(Head(room_).cold);
  EXPECT_TRUE(directory_->Join(room_, RouteOf("s", Node("n1", "i1").entry), generation_).cold);
  EXPECT_EQ(directory_->Routes(room_, generation_).version, 0u);
  EXPECT_TRUE(directory_->TakeUnstored(room_, {Text(room_, "a")->id}, generation_).empty());
  EXPECT_TRUE(directory_->UnstoredOlderThan(-1s, 10, generation_).empty());
}

TEST_P(RoomDirectoryContract, NumbersOfAGenerationStartAboveItsFloor) {
  NextGeneration();
  Warm(room_, 7);

  EXPECT_EQ(Head(room_).head, 7u);
  EXPECT_EQ(Commit(room_, "a").place, (core::Place{core::kGenerationStep + 1, 7, 2}));
  EXPECT_EQ(Commit(room_, "b").place,
            (core::Place{core::kGenerationStep + 2, core::kGenerationStep + 1, 2}));
  EXPECT_EQ(Head(room_).stored_upto, core::kGenerationStep);
}

TEST_P(RoomDirectoryContract, OverwritesWhatAnotherGenerationLeft) {
  Warm(room_);
  Commit(room_, "a");
  Commit(room_, "b");
  NextGeneration();
  Warm(room_, 1);

  EXPECT_TRUE(Window(room_).empty);
  EXPECT_EQ(NumbersOf(room_), (core::RoomHead{false, 1, 1}));
  EXPECT_TRUE(directory_->TakeUnstored(room_, {Text(room_, "b")->id}, generation_).empty());
  const auto again = Commit(room_, "b", 2);  // the dedup entry is another generation's
  EXPECT_FALSE(again.duplicate);
  EXPECT_EQ(again.place.seq, core::kGenerationStep + 1);
}

TEST_P(RoomDirectoryContract, GivesBackTheBytesThatAnotherGenerationLeft) {
  auto limits = Limits();
  limits.window_bytes_total = core::WindowBytesOf(*Text(room_, "a"));
  Use(limits);
  Warm(room_);
  Commit(room_, "a");
  NextGeneration();
  Warm(room_, 0);

  EXPECT_EQ(Commit(room_, "b").outcome, Outcome::kPlaced);
}

// ---- Cold and warm

TEST_P(RoomDirectoryContract, LeasesAColdRoomToOne) {
  EXPECT_EQ(directory_->Lease(room_, "first", 1), core::LeaseOutcome::kGranted);
  EXPECT_EQ(directory_->Lease(room_, "second", 1), core::LeaseOutcome::kBusy);
  Advance(250s);
  EXPECT_EQ(directory_->Lease(room_, "second", 1), core::LeaseOutcome::kGranted);
  directory_->Warm({room_, 1, "second", 0, false});
  EXPECT_EQ(directory_->Lease(room_, "third", 1), core::LeaseOutcome::kOpen);
}

TEST_P(RoomDirectoryContract, WarmsOnlyUnderTheLease) {
  EXPECT_EQ(directory_->Warm({room_, 1, "none", 5, false}), core::WarmOutcome::kLeaseLost);
  directory_->Lease(room_, "mine", 1);
  EXPECT_EQ(directory_->Warm({room_, 1, "other", 5, false}), core::WarmOutcome::kLeaseLost);
  Advance(250s);
  EXPECT_EQ(directory_->Warm({room_, 1, "mine", 5, false}), core::WarmOutcome::kLeaseLost);
  EXPECT_TRUE(Head(room_).cold);
}

TEST_P(RoomDirectoryContract, WarmsOnlyInTheGenerationInForce) {
  directory_->Lease(room_, "mine", 1);
  NextGeneration();

  EXPECT_EQ(directory_->Warm({room_, 1, "mine", 5, false}), core::WarmOutcome::kOtherGeneration);
  EXPECT_TRUE(Head(room_).cold);
}

TEST_P(RoomDirectoryContract, WarmingLeavesAWarmRoomAlone) {
  Warm(room_, 5);
  Commit(room_, "a");
  const auto version = directory_->Routes(room_, 1).version;

  // The lease ended with the warming; the same token gives nothing any more.
  EXPECT_NE(directory_->Warm({room_, 1, "token", 9, false}), core::WarmOutcome::kOtherGeneration);

  EXPECT_EQ(Head(room_).head, 6u);
  EXPECT_EQ(directory_->Routes(room_, 1).version, version);
}

TEST_P(RoomDirectoryContract, AnIdleRoomGetsColdOnceAllIsStored) {
  Warm(room_);
  Commit(room_, "a");
  Advance(60'000s);
  EXPECT_FALSE(Head(room_).cold);

  MarkStored(room_, "a", 1);
  Advance(49'000s);
  EXPECT_FALSE(Window(room_).cold);
  Advance(2'000s);
  EXPECT_TRUE(Head(room_).cold);
  EXPECT_TRUE(Window(room_).cold);
}

TEST_P(RoomDirectoryContract, AWarmedRoomThatNobodyUsesGetsColdAgain) {
  Warm(room_);
  Advance(51'000s);

  EXPECT_TRUE(Head(room_).cold);
}

TEST_P(RoomDirectoryContract, ACommitKeepsARoomWarm) {
  Warm(room_);
  Commit(room_, "a");
  MarkStored(room_, "a", 1);
  Advance(49'000s);
  Commit(room_, "b");
  Advance(49'000s);

  const auto window = Window(room_);

  EXPECT_FALSE(window.cold);
  EXPECT_EQ(window.messages.size(), 2u);
}

TEST_P(RoomDirectoryContract, AnotherWarmingGivesAnotherRouteVersion) {
  Warm(room_);
  const auto before = directory_->Routes(room_, 1).version;
  Advance(51'000s);
  ASSERT_EQ(directory_->Lease(room_, "other", 1), core::LeaseOutcome::kGranted);
  directory_->Warm({room_, 1, "other", 0, false});

  EXPECT_NE(directory_->Routes(room_, 1).version, before);
}

}  // namespace minichat::contract
