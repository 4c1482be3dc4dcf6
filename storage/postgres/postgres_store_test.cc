#include "storage/postgres/postgres_store.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include <pqxx/pqxx>

#include "storage/postgres/postgres_test_kit.h"
#include "tests/support/tcp_gate.h"

namespace minichat::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kEndAllSessions =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE application_name = 'minichat' AND pid <> pg_backend_pid()";

class PostgresStoreTest : public testing::Test {
 protected:
  using Reply = Result<core::InsertReply>;

  void SetUp() override {
    SKIP_WITHOUT_POSTGRES();
    server_ = test::ScratchPostgres::Shared();
    harness_ = std::make_unique<PostgresHarness>(*server_);
    ASSERT_TRUE(RunUntil([&] { return store().available(); }));
    ASSERT_FALSE(Warm(1)->refused);
  }

  bool RunUntil(const std::function<bool()>& condition) { return harness_->RunUntil(condition); }
  core::HistoryStore& store() { return harness_->store(); }
  Deadline After(Duration budget) { return Deadline::After(harness_->scheduler(), budget); }

  Result<core::WarmingFacts> Warm(core::Generation generation) {
    return harness_->Await<Result<core::WarmingFacts>>([&](auto done) {
      store().PrepareWarming(core::RoomId("room"), generation, After(seconds(5)), std::move(done));
    });
  }
  Reply Insert(const std::vector<core::NewRow>& rows, Duration budget = seconds(5)) {
    return harness_->Await<Reply>(
        [&](auto done) { store().Insert(rows, 1, After(budget), std::move(done)); });
  }
  static core::NewRow RowOf(core::Seq seq, const std::string& body, std::int64_t sent_at_ms = 1) {
    return {{core::MakeMessage(core::RoomId("room"), core::UserId("ann"),
                               core::ClientMessageId(std::to_string(seq)), core::BodyKind::kText,
                               body, sent_at_ms),
             {.seq = seq, .prev = 0, .generation = 1}},
            2,
            1'000 + seq};
  }
  // Asks the server on a connection of its own.
  pqxx::result Query(const std::string& sql) {
    pqxx::connection connection(harness_->url());
    return pqxx::nontransaction(connection).exec(sql);
  }
  std::int64_t Count(const std::string& table) {
    return Query("SELECT count(*) FROM " + table)[0][0].as<std::int64_t>();
  }

  test::ScratchPostgres* server_ = nullptr;
  std::unique_ptr<PostgresHarness> harness_;
};

TEST_F(PostgresStoreTest, BadRowsGoToDeadLettersAndTheRestIsStored) {
  constexpr auto kNoSuchTime = std::numeric_limits<std::int64_t>::max();
  std::vector<core::NewRow> rows;
  for (core::Seq seq = 1; seq <= 50; ++seq) rows.push_back(RowOf(seq, "fine"));
  rows[7] = RowOf(8, std::string("a\0b", 3));
  rows[20] = RowOf(21, "refused by the server", kNoSuchTime);
  rows[49] = RowOf(50, "\xff not UTF-8");

  const Reply reply = Insert(rows);

  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_EQ(reply->dead, (std::vector<std::size_t>{7, 20, 49}));
  EXPECT_EQ(Count("messages"), 47);
  const pqxx::result dead = Query(
      "SELECT topic, partition, kafka_offset, error, raw FROM dead_letters "
      "ORDER BY kafka_offset");
  ASSERT_EQ(dead.size(), 3u);
  EXPECT_EQ(dead[1][0].as<std::string>(), "minichat.messages");
  EXPECT_EQ(dead[1][1].as<int>(), 2);
  EXPECT_EQ(dead[1][2].as<int>(), 1'021);
  EXPECT_NE(dead[1][3].as<std::string>().find("sqlstate 22"), std::string::npos);
  EXPECT_NE(dead[0][3].as<std::string>().find("not storable"), std::string::npos);

  EXPECT_EQ(Insert(rows)->dead, reply->dead);
  EXPECT_EQ(Count("dead_letters"), 3) << "a letter that is written again stays one";
}

TEST_F(PostgresStoreTest, TheNumberOfABuriedRowIsNotGivenOutAgain) {
  const core::NewRow buried = RowOf(9, "\xff not UTF-8");
  ASSERT_TRUE(Insert({buried}).ok());
  EXPECT_EQ(Warm(1)->max_seq, 9u);
  EXPECT_EQ(Warm(1)->newest_age_ms, -1) << "it is no row";

  ASSERT_TRUE(Insert({RowOf(8, "below it")}).ok());
  EXPECT_EQ(Warm(1)->max_seq, 9u);
  EXPECT_GE(Warm(1)->newest_age_ms, 0);

  ASSERT_TRUE(Insert({RowOf(10, "above it")}).ok());
  EXPECT_EQ(Warm(1)->max_seq, 10u);
}

TEST_F(PostgresStoreTest, CallsGoOnWhenAllConnectionsAreEnded) {
  core::Seq seq = 0;
  for (int round = 0; round < 5; ++round) {
    int ok = 0;
    for (int i = 0; i < 8; ++i) {
      store().Insert({RowOf(++seq, "text")}, 1, After(seconds(5)),
                     [&](const Reply& reply) { ok += reply.ok(); });
    }
    // A session that was ended in the last round may be gone only now: until one is met.
    EXPECT_TRUE(RunUntil([&] { return !Query(kEndAllSessions).empty(); }))
        << "the fault took no effect";
    EXPECT_TRUE(RunUntil([&] { return ok == 8; }));
  }

  EXPECT_EQ(Count("messages"), static_cast<std::int64_t>(seq));
  EXPECT_EQ(Count("dead_letters"), 0);
}

TEST_F(PostgresStoreTest, ServerAwayIsToldAndItsReturnIsFound) {
  ASSERT_TRUE(Insert({RowOf(1, "before")}).ok());
  server_->Stop();

  const Reply away = Insert({RowOf(2, "away")}, seconds(2));
  EXPECT_EQ(away.status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(RunUntil([&] { return !store().available(); }));

  server_->Start();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(RunUntil([&] { return store().available(); }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
  EXPECT_TRUE(RunUntil([&] { return Insert({RowOf(2, "away")}).ok(); }));
  EXPECT_EQ(Count("messages"), 2);
}

TEST_F(PostgresStoreTest, HangingCallIsAnsweredAtItsDeadlineAndItsThreadComesBack) {
  pqxx::connection blocker(harness_->url());
  auto lock = std::make_unique<pqxx::work>(blocker);
  lock->exec("LOCK TABLE messages IN ACCESS EXCLUSIVE MODE");

  const auto begin = std::chrono::steady_clock::now();
  std::vector<StatusCode> codes;
  for (core::Seq seq = 1; seq <= 6; ++seq) {  // more than there are threads
    store().Insert({RowOf(seq, "text")}, 1, After(milliseconds(300)),
                   [&](const Reply& reply) { codes.push_back(reply.status().code()); });
  }
  ASSERT_TRUE(RunUntil([&] { return codes.size() == 6; }));

  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(2));
  EXPECT_EQ(codes, std::vector<StatusCode>(6, StatusCode::kDeadlineExceeded));
  lock.reset();
  EXPECT_TRUE(RunUntil([&] { return Insert({RowOf(9, "after")}).ok(); }));
}

TEST_F(PostgresStoreTest, CallWithoutTimeLeftFailsAtOnceAndWritesNothing) {
  const Reply reply = Insert({RowOf(1, "late")}, Duration::zero());

  EXPECT_EQ(reply.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Count("messages"), 0);
}

TEST_F(PostgresStoreTest, CommitInDoubtIsDoneAgainAndIsOneRow) {
  constexpr core::Seq kRows = 50;
  test::TcpGate gate({"127.0.0.1", server_->port()});
  const std::string direct = "127.0.0.1:" + std::to_string(server_->port());
  std::string url = harness_->url();
  url.replace(url.find(direct), direct.size(), gate.address().ToString());
  PostgresClient client({.url = url, .connections = 1, .probe_period = std::chrono::hours(1)},
                        harness_->scheduler(), harness_->metrics);
  ASSERT_EQ(client.Start(), Status());
  PostgresStore store(client, "minichat.messages");
  ASSERT_TRUE(RunUntil([&] { return store.available(); }));

  for (core::Seq seq = 1; seq <= kRows; ++seq) {
    gate.CutAfter("COMMIT", 1);
    const Reply reply = harness_->Await<Reply>([&](auto done) {
      store.Insert({RowOf(seq, "text")}, 1, After(seconds(5)), std::move(done));
    });
    ASSERT_TRUE(reply.ok()) << reply.status().ToString();
    EXPECT_TRUE(reply->dead.empty());
  }

  EXPECT_EQ(gate.counts().swallowed_replies, kRows) << "the fault took no effect";
  EXPECT_EQ(Count("messages"), static_cast<std::int64_t>(kRows));
  EXPECT_EQ(Count("dead_letters"), 0);
}

TEST_F(PostgresStoreTest, NothingOfAnOlderGenerationIsInsertedAfterWarming) {
  constexpr core::Seq kRows = 200;
  core::Seq answered = 0;
  std::optional<core::WarmingFacts> facts;
  for (core::Seq seq = 1; seq <= kRows; ++seq) {
    store().Insert({RowOf(seq, "text")}, 1, After(seconds(10)), [&](const Reply& reply) {
      EXPECT_TRUE(reply.ok()) << reply.status().ToString();
      ++answered;
    });
    if (seq == kRows / 2) {
      store().PrepareWarming(core::RoomId("room"), 2, After(seconds(10)),
                             [&](const Result<core::WarmingFacts>& result) { facts = *result; });
    }
  }
  ASSERT_TRUE(RunUntil([&] { return answered == kRows && facts; }));

  EXPECT_EQ(Query("SELECT max(seq) FROM messages")[0][0].as<core::Seq>(), facts->max_seq);
  EXPECT_LT(facts->max_seq, kRows);
}

TEST_F(PostgresStoreTest, WritersOfTheSameRowsDoNotDisturbEachOther) {
  std::vector<core::NewRow> ascending;
  for (core::Seq seq = 1; seq <= 100; ++seq) ascending.push_back(RowOf(seq, "text"));
  const std::vector<core::NewRow> descending(ascending.rbegin(), ascending.rend());
  int ok = 0;
  for (int i = 0; i < 40; ++i) {
    store().Insert(i % 2 == 0 ? ascending : descending, 1, After(seconds(10)),
                   [&](const Reply& reply) { ok += reply.ok() && reply->dead.empty(); });
  }

  EXPECT_TRUE(RunUntil([&] { return ok == 40; }));
  EXPECT_EQ(Count("messages"), 100);
}

TEST_F(PostgresStoreTest, StopAnswersNobody) {
  int answers = 0;
  for (core::Seq seq = 1; seq <= 20; ++seq) {
    store().Insert({RowOf(seq, "text")}, 1, After(seconds(5)), [&](const Reply&) { ++answers; });
  }

  harness_.reset();

  EXPECT_EQ(answers, 0);
}

class PostgresMigratorTest : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_POSTGRES();
    url_ = test::ScratchPostgres::Shared()->NewDatabase();
  }
  void Execute(const std::string& sql) {
    pqxx::connection connection(url_);
    pqxx::nontransaction(connection).exec(sql);
  }

  std::string url_;
};

TEST_F(PostgresMigratorTest, MigratesOnce) {
  PostgresMigrator migrator(url_);
  EXPECT_EQ(migrator.Check().code(), StatusCode::kFailedPrecondition);

  const auto first = migrator.Migrate();
  const auto second = migrator.Migrate();

  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_GE(*first, 1);
  EXPECT_EQ(*second, *first);
  EXPECT_EQ(migrator.Check(), Status());
}

TEST_F(PostgresMigratorTest, SeveralAtOnceAreOneAfterTheOther) {
  std::atomic<int> ok = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { ok += PostgresMigrator(url_).Migrate().ok(); });
    }
  }

  EXPECT_EQ(ok, 4);
}

TEST_F(PostgresMigratorTest, RefusesADatabaseThatIsNewer) {
  PostgresMigrator migrator(url_);
  ASSERT_TRUE(migrator.Migrate().ok());
  Execute("INSERT INTO schema_migrations (version, name) VALUES (999, 'later')");

  EXPECT_EQ(migrator.Migrate().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(migrator.Check().code(), StatusCode::kFailedPrecondition);
}

TEST_F(PostgresMigratorTest, SaysThatPostgresIsAwayWithoutThePassword) {
  const Status status = PostgresMigrator("postgresql://u:secret@127.0.0.1:1/d").Check();

  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace minichat::postgres
