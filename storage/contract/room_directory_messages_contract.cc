// RoomDirectoryContract: places, dedup, the hot window.
#include "storage/contract/room_directory_contract.h"

namespace minichat::contract {

using namespace std::chrono_literals;
using Outcome = core::CommitReply::Outcome;

// ---- Places

TEST_P(RoomDirectoryContract, GivesPlacesInOrder) {
  Warm(room_);

  const auto first = Commit(room_, "a", 7);
  const auto second = Commit(room_, "b", 8);

  EXPECT_EQ(first.outcome, Outcome::kPlaced);
  EXPECT_EQ(first.place, (core::Place{1, 0, 1}));
  EXPECT_FALSE(first.duplicate);
  EXPECT_TRUE(first.own_attempt);
  EXPECT_EQ(first.sent_at_ms, 1'234);
  EXPECT_NE(first.route_version, 0u);
  EXPECT_EQ(second.place, (core::Place{2, 1, 1}));
  EXPECT_EQ(second.route_version, first.route_version);
}

TEST_P(RoomDirectoryContract, PlacesNothingInAColdRoom) {
  EXPECT_EQ(Commit(room_, "a").outcome, Outcome::kCold);
}

TEST_P(RoomDirectoryContract, KnowsAMessageByItsId) {
  Warm(room_);
  const auto first = Commit(room_, "a", 7);
  Commit(room_, "b");

  const auto retry = Commit(room_, "a", 8);
  const auto own = Commit(room_, "a", 7);

  EXPECT_EQ(retry.outcome, Outcome::kPlaced);
  EXPECT_EQ(retry.place, first.place);
  EXPECT_TRUE(retry.duplicate);
  EXPECT_FALSE(retry.own_attempt);
  EXPECT_TRUE(own.duplicate);
  EXPECT_TRUE(own.own_attempt);
  EXPECT_EQ(Head(room_).head, 2u);
}

TEST_P(RoomDirectoryContract, TellsWhenTheFirstOneWasSent) {
  Warm(room_);
  Commit(room_, "a");
  const auto later = core::MakeMessage(room_, core::UserId("alice"), core::ClientMessageId("a"),
                                       core::BodyKind::kText, "hello", 9'999);

  EXPECT_EQ(directory_->Commit(Request(later, 2)).sent_at_ms, 1'234);
}

TEST_P(RoomDirectoryContract, RefusesAnotherTextUnderAnId) {
  Warm(room_);
  const auto first = Commit(room_, "a");

  const auto twin = directory_->Commit(Request(Text(room_, "a", "other"), 2));

  EXPECT_EQ(twin.outcome, Outcome::kConflict);
  EXPECT_EQ(twin.place, first.place);
  EXPECT_EQ(Head(room_).head, 1u);
}

TEST_P(RoomDirectoryContract, KnowsWhatHasNoRowForAsLongAsThatTakes) {
  Warm(room_);
  const auto first = Commit(room_, "a");
  Advance(10'100s);

  const auto retry = Commit(room_, "a", 2);

  EXPECT_TRUE(retry.duplicate);
  EXPECT_EQ(retry.place, first.place);
}

TEST_P(RoomDirectoryContract, KnowsAStoredMessageForTheDedupTime) {
  Warm(room_);
  Commit(room_, "a");
  MarkStored(room_, "a", 1);

  Advance(9'900s);
  EXPECT_TRUE(Commit(room_, "a", 2).duplicate);
  Advance(200s);
  const auto again = Commit(room_, "a", 3);

  EXPECT_FALSE(again.duplicate);
  EXPECT_EQ(again.place.seq, 2u);
}

TEST_P(RoomDirectoryContract, HoldsNumbersUpToTheirBound) {
  const core::Seq max_seq = core::kMaxSeq - 3;
  Warm(room_, max_seq);

  EXPECT_EQ(Commit(room_, "a").place, (core::Place{max_seq + 1, max_seq, 1}));
  EXPECT_EQ(Commit(room_, "b").place, (core::Place{max_seq + 2, max_seq + 1, 1}));
  MarkStored(room_, "a", max_seq + 1);
  const auto window = Window(room_);

  ASSERT_EQ(window.messages.size(), 2u);
  EXPECT_EQ(window.messages[1].place, (core::Place{max_seq + 2, max_seq + 1, 1}));
  EXPECT_EQ(NumbersOf(room_), (core::RoomHead{false, max_seq + 2, max_seq + 1}));
}

// ---- Misses that must be looked up

TEST_P(RoomDirectoryContract, WantsALateRetryLookedUp) {
  Warm(room_);
  auto request = Request(Text(room_, "a"));
  request.resend = true;

  const auto miss = directory_->Commit(request);
  ASSERT_EQ(miss.outcome, Outcome::kMiss);
  EXPECT_EQ(miss.miss.generation, 1u);
  request.looked_up = miss.miss;
  const auto placed = directory_->Commit(request);

  EXPECT_EQ(placed.outcome, Outcome::kPlaced);
  EXPECT_FALSE(placed.duplicate);
}

TEST_P(RoomDirectoryContract, TakesALookedUpMissForHalfTheDedupTime) {
  Warm(room_);
  auto request = Request(Text(room_, "a"));
  request.resend = true;
  request.looked_up = directory_->Commit(request).miss;

  Advance(5'100s);
  const auto late = directory_->Commit(request);
  ASSERT_EQ(late.outcome, Outcome::kMiss);
  EXPECT_EQ(late.miss.at_ms - request.looked_up->at_ms, 5'100'000);
  request.looked_up = late.miss;
  Advance(4'900s);

  EXPECT_EQ(directory_->Commit(request).outcome, Outcome::kPlaced);
}

TEST_P(RoomDirectoryContract, TakesALookedUpMissOnlyInItsGeneration) {
  Warm(room_);
  auto request = Request(Text(room_, "a"));
  request.resend = true;
  request.looked_up = directory_->Commit(request).miss;
  NextGeneration();
  Warm(room_);
  request.generation = generation_;

  EXPECT_EQ(directory_->Commit(request).outcome, Outcome::kMiss);
}

TEST_P(RoomDirectoryContract, WantsMissesLookedUpWhileAUsedRoomsMemoryIsYoung) {
  Warm(room_, 5, true);

  EXPECT_EQ(Commit(room_, "a").outcome, Outcome::kMiss);
  Advance(10'500s);
  EXPECT_EQ(Commit(room_, "a").outcome, Outcome::kMiss);
  Advance(200s);  // dedup time + node TTL
  EXPECT_EQ(Commit(room_, "a").outcome, Outcome::kPlaced);
}

TEST_P(RoomDirectoryContract, WantsNoLookUpInALongUnusedRoom) {
  Warm(room_, 5, false);

  EXPECT_EQ(Commit(room_, "a").outcome, Outcome::kPlaced);
}

// ---- From place to row

TEST_P(RoomDirectoryContract, TellsPlacesOfWhatHasNoRow) {
  Warm(room_);
  Commit(room_, "a");
  Commit(room_, "b");
  MarkStored(room_, "a", 1);
  const auto b = Text(room_, "b");

  const auto places =
      directory_->TakeUnstored(room_, {Text(room_, "a")->id, b->id, Text(room_, "c")->id}, 1);

  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0], (core::UnstoredPlace{b->id, {2, 1, 1}, b->hash}));
  EXPECT_TRUE(directory_->TakeUnstored(room_, {}, 1).empty());
  EXPECT_TRUE(directory_->TakeUnstored(core::RoomId("cold"), {b->id}, 1).empty());
}

TEST_P(RoomDirectoryContract, MarksOnlyWhatStillHasThatPlace) {
  Warm(room_);
  Commit(room_, "a");

  MarkStored(room_, "a", 2);
  EXPECT_EQ(directory_->TakeUnstored(room_, {Text(room_, "a")->id}, 1).size(), 1u);
  MarkStored(room_, "a", 1);
  EXPECT_TRUE(directory_->TakeUnstored(room_, {Text(room_, "a")->id}, 1).empty());
}

TEST_P(RoomDirectoryContract, TellsUpToWhereAllIsStored) {
  Warm(room_);
  for (const char* cid : {"a", "b", "c"}) Commit(room_, cid);
  EXPECT_EQ(NumbersOf(room_), (core::RoomHead{false, 3, 0}));

  MarkStored(room_, "b", 2);
  EXPECT_EQ(NumbersOf(room_), (core::RoomHead{false, 3, 0}));
  MarkStored(room_, "a", 1);
  EXPECT_EQ(NumbersOf(room_), (core::RoomHead{false, 3, 2}));
  MarkStored(room_, "c", 3);
  EXPECT_EQ(NumbersOf(room_), (core::RoomHead{false, 3, 3}));
}

TEST_P(RoomDirectoryContract, ReadsManyHeads) {
  std::vector<core::RoomId> rooms;
  rooms.reserve(600);
  for (int i = 0; i < 600; ++i) rooms.emplace_back("room" + std::to_string(i));
  Warm(rooms[300], 5);
  Warm(rooms[599], 6);

  const auto heads = directory_->Heads(rooms, 1);

  ASSERT_EQ(heads.size(), rooms.size());
  EXPECT_TRUE(heads[0].cold);
  EXPECT_EQ(heads[300].head, 5u);
  EXPECT_EQ(heads[300].stored_upto, 5u);
  EXPECT_EQ(heads[599].head, 6u);
  EXPECT_TRUE(directory_->Heads({}, 1).empty());
}

TEST_P(RoomDirectoryContract, FindsWhatHasHadNoRowForLong) {
  Warm(room_);
  Commit(room_, "a");
  Commit(room_, "b");
  Advance(1'000s);
  Commit(room_, "c");
  MarkStored(room_, "a", 1);

  const auto old = directory_->UnstoredOlderThan(500s, 10, 1);

  ASSERT_EQ(old.size(), 1u);
  EXPECT_EQ(*old[0].message, *Text(room_, "b"));
  EXPECT_EQ(old[0].place, (core::Place{2, 1, 1}));
  EXPECT_EQ(directory_->UnstoredOlderThan(1'500s, 10, 1).size(), 0u);
  Advance(1'000s);
  EXPECT_EQ(directory_->UnstoredOlderThan(500s, 1, 1).size(), 1u);
  EXPECT_EQ(directory_->UnstoredOlderThan(500s, 10, 1).size(), 2u);
  EXPECT_TRUE(directory_->UnstoredOlderThan(500s, 10, 2).empty());
}

// ---- The window

TEST_P(RoomDirectoryContract, KeepsAllThatHasNoRow) {
  Warm(room_);
  for (int i = 1; i <= 10; ++i) Commit(room_, std::to_string(i));
  for (int i = 2; i <= 10; ++i) {
    MarkStored(room_, std::to_string(i), static_cast<core::Seq>(i));
  }

  const auto window = Window(room_);

  ASSERT_EQ(window.messages.size(), 10u);
  EXPECT_FALSE(window.empty);
  EXPECT_EQ(window.lowest_seq, 1u);
  EXPECT_EQ(window.lowest_prev, 0u);
  EXPECT_EQ(window.head, 10u);
  EXPECT_EQ(*window.messages[3].message, *Text(room_, "4"));
  EXPECT_EQ(window.messages[3].place, (core::Place{4, 3, 1}));
}

TEST_P(RoomDirectoryContract, KeepsTheLastEventsOnceTheyAreStored) {
  Warm(room_);
  for (int i = 1; i <= 10; ++i) Commit(room_, std::to_string(i));
  for (int i = 1; i <= 8; ++i) {
    MarkStored(room_, std::to_string(i), static_cast<core::Seq>(i));
  }

  const auto window = Window(room_);

  EXPECT_EQ(window.messages.size(), 4u);
  EXPECT_EQ(window.lowest_seq, 7u);
  EXPECT_EQ(window.lowest_prev, 6u);
}

TEST_P(RoomDirectoryContract, ReadsARangeOfTheWindow) {
  Warm(room_);
  for (int i = 1; i <= 9; ++i) Commit(room_, std::to_string(i));
  const auto seqs = [&](core::Seq after, core::Seq before, std::size_t limit, bool from_end) {
    std::vector<core::Seq> found;
    for (const auto& placed :
         directory_->Window({room_, 1, after, before, limit, from_end}).messages) {
      found.push_back(placed.place.seq);
    }
    return found;
  };
  using Seqs = std::vector<core::Seq>;

  EXPECT_EQ(seqs(2, 6, 10, false), (Seqs{3, 4, 5}));
  EXPECT_EQ(seqs(2, 6, 2, false), (Seqs{3, 4}));
  EXPECT_EQ(seqs(2, 6, 2, true), (Seqs{4, 5}));
  EXPECT_EQ(seqs(7, core::kMaxSeq, 10, false), (Seqs{8, 9}));
  EXPECT_EQ(seqs(0, core::kMaxSeq, 3, true), (Seqs{7, 8, 9}));
  EXPECT_EQ(seqs(9, core::kMaxSeq, 10, false), Seqs{});
  EXPECT_EQ(seqs(5, 5, 10, false), Seqs{});
  EXPECT_EQ(seqs(0, 0, 10, false), Seqs{});
  EXPECT_EQ(seqs(0, 9, 0, false), Seqs{});
}

TEST_P(RoomDirectoryContract, TellsThatAWindowIsEmptyOrTheRoomCold) {
  Warm(room_, 5);

  const auto empty = Window(room_);
  const auto cold = Window(core::RoomId("cold"));

  EXPECT_FALSE(empty.cold);
  EXPECT_TRUE(empty.empty);
  EXPECT_EQ(empty.head, 5u);
  EXPECT_TRUE(cold.cold);
}

// ---- Bounds

TEST_P(RoomDirectoryContract, BoundsTheWindowOfARoom) {
  auto limits = Limits();
  limits.window_events = 0;
  limits.window_bytes_per_room = 2 * core::WindowBytesOf(*Text(room_, "a"));
  Use(limits);
  Warm(room_);
  Commit(room_, "a");
  Commit(room_, "b");

  EXPECT_EQ(Commit(room_, "c").outcome, Outcome::kFull);
  EXPECT_TRUE(Commit(room_, "b", 2).duplicate);
  MarkStored(room_, "a", 1);
  EXPECT_EQ(Commit(room_, "c").place, (core::Place{3, 2, 1}));
}

TEST_P(RoomDirectoryContract, TellsWhenTheWindowOfARoomFills) {
  auto limits = Limits();
  limits.window_events = 0;
  limits.window_bytes_per_room = 4 * core::WindowBytesOf(*Text(room_, "a"));
  Use(limits);
  Warm(room_);
  Commit(room_, "a");
  Commit(room_, "b");

  EXPECT_FALSE(Commit(room_, "c").filling);
  EXPECT_TRUE(Commit(room_, "d").filling);
  EXPECT_FALSE(Commit(room_, "d", 2).filling);  // takes nothing
  MarkStored(room_, "a", 1);
  MarkStored(room_, "b", 2);
  EXPECT_FALSE(Commit(room_, "e").filling);
}

TEST_P(RoomDirectoryContract, TellsWhenTheWindowsOfAllRoomsFill) {
  auto limits = Limits();
  limits.window_events = 0;
  limits.window_bytes_total = 4 * core::WindowBytesOf(*Text(room_, "a"));
  Use(limits);
  const core::RoomId other("other");
  Warm(room_);
  Warm(other);
  Commit(room_, "a");
  Commit(room_, "b");

  EXPECT_FALSE(Commit(other, "c").filling);
  EXPECT_TRUE(Commit(other, "d").filling);
}

TEST_P(RoomDirectoryContract, BoundsTheWindowsOfAllRooms) {
  auto limits = Limits();
  limits.window_events = 0;
  limits.window_bytes_total = 2 * core::WindowBytesOf(*Text(room_, "a"));
  Use(limits);
  const core::RoomId other("other");
  Warm(room_);
  Warm(other);
  Commit(room_, "a");
  Commit(other, "b");

  EXPECT_EQ(Commit(other, "c").outcome, Outcome::kFull);
  MarkStored(room_, "a", 1);
  EXPECT_EQ(Commit(other, "c").outcome, Outcome::kPlaced);
  EXPECT_EQ(Commit(room_, "d").outcome, Outcome::kFull);
}

}  // namespace minichat::contract
