#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/core/ports/history_store.h"
#include "storage/contract/harness.h"

namespace minichat::contract {

// What every HistoryStore does. Include it in one file of a test program, and instantiate it with
// the implementation's harness.
class HistoryStoreContract : public testing::TestWithParam<MakeStoresHarness> {
 protected:
  using Bodies = std::vector<std::string>;

  void SetUp() override {
    harness_ = GetParam()();
    if (harness_ == nullptr) GTEST_SKIP() << "its service is not installed";
    ASSERT_TRUE(harness_->RunUntil([this] { return store().available(); }));
  }

  core::HistoryStore& store() { return harness_->store(); }
  Deadline Soon() { return Deadline::After(harness_->scheduler(), std::chrono::seconds(5)); }

  static core::MessagePtr MessageOf(const std::string& cid, const std::string& body,
                                    const std::string& room = "room") {
    return core::MakeMessage(core::RoomId(room), core::UserId("ann"), core::ClientMessageId(cid),
                             core::BodyKind::kText, body, 1'700'000'000'123);
  }
  static core::NewRow RowOf(core::Seq seq, core::MessagePtr message) {
    const core::Generation generation = (seq - 1) / core::kGenerationStep + 1;
    return {{std::move(message), {.seq = seq, .prev = 0, .generation = generation}}, 3, 40 + seq};
  }
  static core::NewRow RowOf(core::Seq seq, const std::string& body) {
    return RowOf(seq, MessageOf("cid-" + body, body));
  }

  core::WarmingFacts Warm(core::Generation generation, const std::string& room = "room") {
    auto facts = harness_->Await<Result<core::WarmingFacts>>([&](auto done) {
      store().PrepareWarming(core::RoomId(room), generation, Soon(), std::move(done));
    });
    EXPECT_TRUE(facts.ok()) << facts.status().ToString();
    return facts.ok() ? *facts : core::WarmingFacts{};
  }
  core::InsertReply Insert(std::vector<core::NewRow> rows, core::Generation generation = 1) {
    auto reply = harness_->Await<Result<core::InsertReply>>(
        [&](auto done) { store().Insert(rows, generation, Soon(), std::move(done)); });
    EXPECT_TRUE(reply.ok()) << reply.status().ToString();
    return reply.ok() ? *reply : core::InsertReply{};
  }
  std::vector<core::PlacedMessage> Range(core::RangeRequest request) {
    auto rows = harness_->Await<Result<std::vector<core::PlacedMessage>>>(
        [&](auto done) { store().Range(request, Soon(), std::move(done)); });
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    return rows.ok() ? *rows : std::vector<core::PlacedMessage>{};
  }
  Bodies BodiesOf(const core::RangeRequest& request) {
    Bodies bodies;
    for (const auto& row : Range(request)) bodies.push_back(row.message->body);
    return bodies;
  }
  Bodies AllBodies() { return BodiesOf({.room = core::RoomId("room"), .limit = 100}); }
  std::optional<core::StoredRow> Lookup(const core::Message& message,
                                        std::optional<core::MessageId> variant = {}) {
    auto row = harness_->Await<Result<std::optional<core::StoredRow>>>([&](auto done) {
      store().Lookup(message.room, message.id, variant, message.hash, Soon(), std::move(done));
    });
    EXPECT_TRUE(row.ok()) << row.status().ToString();
    return row.ok() ? *row : std::nullopt;
  }
  core::Generation Current() {
    return *harness_->Await<Result<core::Generation>>(
        [&](auto done) { store().CurrentGeneration(Soon(), std::move(done)); });
  }

  std::unique_ptr<StoresHarness> harness_;
};

TEST_P(HistoryStoreContract, GenerationNumbersRise) {
  const auto next = [&](const std::string& run_id) {
    return *harness_->Await<Result<core::Generation>>(
        [&](auto done) { store().NextGeneration(run_id, Soon(), std::move(done)); });
  };

  const core::Generation first = next("run-a");
  const core::Generation second = next("run-b");

  EXPECT_GE(first, 1u);
  EXPECT_GT(second, first);
  EXPECT_EQ(Current(), 0u);
}

TEST_P(HistoryStoreContract, WarmingRaisesCurrentAndRefusesWhatIsBelow) {
  EXPECT_FALSE(Warm(5).refused);
  EXPECT_EQ(Current(), 5u);

  EXPECT_TRUE(Warm(4).refused);

  EXPECT_FALSE(Warm(5).refused);
  EXPECT_EQ(Current(), 5u);
}

TEST_P(HistoryStoreContract, WarmingTellsTheNewestRowOfTheRoom) {
  EXPECT_EQ(Warm(1).max_seq, 0u);
  EXPECT_EQ(Warm(1).newest_age_ms, -1);
  Insert({RowOf(7, "a"), RowOf(9, "b"), RowOf(12, MessageOf("c", "c", "other"))});

  const core::WarmingFacts facts = Warm(1);

  EXPECT_EQ(facts.max_seq, 9u);
  EXPECT_GE(facts.newest_age_ms, 0);
  EXPECT_LT(facts.newest_age_ms, 60'000);
}

TEST_P(HistoryStoreContract, InsertIsFencedByAnotherGeneration) {
  Warm(2);

  EXPECT_TRUE(Insert({RowOf(1, "a")}, 1).fenced);
  EXPECT_TRUE(Insert({RowOf(1, "a")}, 3).fenced);

  EXPECT_EQ(AllBodies(), Bodies{});
  EXPECT_FALSE(Insert({RowOf(1, "a")}, 2).fenced);
  EXPECT_EQ(AllBodies(), Bodies{"a"});
}

TEST_P(HistoryStoreContract, GivesBackAllOfARow) {
  Warm(3);
  const core::Seq seq = core::FloorOf(3) + 8;
  const auto message = core::MakeMessage(
      core::RoomId("room"), core::UserId("ann"), core::ClientMessageId("c:1"),
      core::BodyKind::kData, R"({"a": "\"quoted\" \\ {x},\u00e9 é 😀"})", 1'700'000'000'123);
  ASSERT_EQ(Insert({RowOf(seq, message)}, 3).dead, std::vector<std::size_t>{});

  const auto rows = Range({.room = core::RoomId("room"), .limit = 10});

  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(*rows[0].message, *message);
  EXPECT_EQ(rows[0].place.seq, seq);
  EXPECT_EQ(rows[0].place.prev, 0u);
}

TEST_P(HistoryStoreContract, InsertingAgainChangesNothing) {
  Warm(1);
  const std::vector<core::NewRow> rows = {RowOf(1, "a"), RowOf(2, "b")};
  Insert(rows);

  const core::InsertReply again = Insert({RowOf(2, "b"), RowOf(3, "c"), RowOf(1, "a")});

  EXPECT_FALSE(again.fenced);
  EXPECT_EQ(again.dead, std::vector<std::size_t>{});
  EXPECT_EQ(AllBodies(), (Bodies{"a", "b", "c"}));
}

TEST_P(HistoryStoreContract, RowWhosePlaceIsTakenIsDeadAndTheRestIsStored) {
  Warm(1);
  Insert({RowOf(2, "first")});

  const core::InsertReply reply = Insert({RowOf(3, "c"), RowOf(2, "other"), RowOf(1, "a")});

  EXPECT_EQ(reply.dead, std::vector<std::size_t>{1});
  EXPECT_EQ(AllBodies(), (Bodies{"a", "first", "c"}));
}

TEST_P(HistoryStoreContract, SamePlaceTwiceInABatchIsOneRow) {
  Warm(1);

  const core::InsertReply reply =
      Insert({RowOf(1, "a"), RowOf(2, "b"), RowOf(1, "a"), RowOf(2, "other")});

  EXPECT_EQ(reply.dead, std::vector<std::size_t>{3});
  EXPECT_EQ(AllBodies(), (Bodies{"a", "b"}));
}

TEST_P(HistoryStoreContract, InsertOfNothingIsFine) {
  Warm(1);

  EXPECT_FALSE(Insert({}).fenced);
}

TEST_P(HistoryStoreContract, RangeBoundsAreExclusive) {
  Warm(1);
  Insert({RowOf(1, "a"), RowOf(2, "b"), RowOf(4, "d"), RowOf(5, "e"), RowOf(6, "f")});
  const core::RoomId room("room");

  EXPECT_EQ(BodiesOf({.room = room, .after = 1, .before = 6, .limit = 100}),
            (Bodies{"b", "d", "e"}));
  EXPECT_EQ(BodiesOf({.room = room, .after = 1, .before = 6, .limit = 2}), (Bodies{"b", "d"}));
  EXPECT_EQ(BodiesOf({.room = room, .after = 1, .before = 6, .limit = 2, .from_end = true}),
            (Bodies{"d", "e"}));
  EXPECT_EQ(BodiesOf({.room = room, .after = 2, .before = 4, .limit = 100}), Bodies{});
  EXPECT_EQ(BodiesOf({.room = core::RoomId("other"), .limit = 100}), Bodies{});
}

TEST_P(HistoryStoreContract, LookupPrefersTheSameTextElseTheEarliest) {
  Warm(1);
  const auto first = MessageOf("cid", "first text");
  const auto second = MessageOf("cid", "second text");
  const auto unknown = MessageOf("cid", "third text");
  ASSERT_EQ(first->id, second->id);
  Insert({RowOf(5, second), RowOf(4, first)});

  EXPECT_EQ(Lookup(*first)->seq, 4u);
  EXPECT_EQ(Lookup(*second)->seq, 5u);
  EXPECT_EQ(Lookup(*second)->hash, second->hash);
  EXPECT_EQ(Lookup(*second)->sent_at_ms, second->sent_at_ms);
  EXPECT_EQ(Lookup(*unknown)->seq, 4u);
  EXPECT_EQ(Lookup(*unknown)->hash, first->hash);
}

TEST_P(HistoryStoreContract, LookupFindsTheVariant) {
  Warm(1);
  const auto plain = MessageOf("cid", "text");
  core::Message variant = *plain;
  variant.id = core::VariantIdOf(plain->id, plain->hash);
  Insert({RowOf(4, std::make_shared<core::Message>(variant))});

  EXPECT_FALSE(Lookup(*plain).has_value());
  EXPECT_EQ(Lookup(*plain, variant.id)->seq, 4u);
}

TEST_P(HistoryStoreContract, LookupOfAnUnknownIdIsNone) {
  EXPECT_FALSE(Lookup(*MessageOf("cid", "text")).has_value());
}

TEST_P(HistoryStoreContract, TakesDeadLettersAgain) {
  const std::vector<core::DeadLetter> letters = {
      {.partition = 1, .offset = 7, .error = "not a message", .raw = std::string("\0\xff", 2)},
      {.partition = 1, .offset = 8, .error = std::string("bad \xff\0 text", 11), .raw = ""}};
  for (int i = 0; i < 2; ++i) {
    const Status status = harness_->Await<Status>(
        [&](auto done) { store().AddDeadLetters(letters, Soon(), std::move(done)); });
    EXPECT_EQ(status, Status());
  }
}

}  // namespace minichat::contract
