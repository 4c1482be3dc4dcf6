#include "loadtest/experiments/hot_spots/postgres_spots.h"

#include <memory>
#include <string>

#include <pqxx/pqxx>

#include "server/core/message.h"
#include "storage/postgres/array_text.h"
#include "storage/postgres/postgres_migrator.h"
#include "storage/postgres/statements.h"
#include "tests/support/scratch_postgres.h"

namespace minichat::lab {
namespace {

using postgres::ArrayText;

constexpr std::size_t kBatch = 100;
constexpr std::size_t kPage = 50;
constexpr std::size_t kHistory = 10'000;  // rows of the room that is read
constexpr const char* kWriteRoom = "written";
constexpr const char* kReadRoom = "read";
constexpr const char* kInsertOne = "lab_insert_one";
constexpr const char* kPageSeqs = "lab_page_seqs";
constexpr const char* kOneRow = "lab_one_row";

struct Row {
  core::MessagePtr message;
  std::int64_t seq = 0;
};

Row RowOf(const std::string& room, std::int64_t seq) {
  const std::string number = std::to_string(seq);
  return {core::MakeMessage(core::RoomId(room), core::UserId("ann"),
                            core::ClientMessageId("c-" + number), core::BodyKind::kText,
                            number + std::string(200, 'x'), 1'790'000'000'000 + seq),
          seq};
}

std::vector<Row> RowsOf(const std::string& room, std::int64_t first, std::size_t count) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(RowOf(room, first + static_cast<std::int64_t>(i)));
  }
  return rows;
}

std::size_t InsertOne(pqxx::work& transaction, const Row& row) {
  const core::Message& m = *row.message;
  return transaction
      .exec_prepared(kInsertOne, m.room.value(), row.seq, m.id.ToText(), m.sender.value(),
                     m.cid.value(), static_cast<int>(m.kind), m.body,
                     static_cast<std::int64_t>(m.hash), m.sent_at_ms)
      .affected_rows();
}

// The product's statement; where the record lay in the log is left open.
std::size_t InsertAll(pqxx::work& transaction, const std::vector<Row>& rows) {
  ArrayText room, seq, id, sender, cid, kind, body, hash, sent_at, partition, offset;
  for (const Row& row : rows) {
    const core::Message& m = *row.message;
    room.Add(m.room.value());
    seq.Add(row.seq);
    id.Add(m.id.ToText());
    sender.Add(m.sender.value());
    cid.Add(m.cid.value());
    kind.Add(static_cast<std::int64_t>(m.kind));
    body.Add(m.body);
    hash.Add(static_cast<std::int64_t>(m.hash));
    sent_at.Add(m.sent_at_ms);
    partition.Add(std::optional<std::int64_t>());
    offset.Add(std::optional<std::int64_t>());
  }
  return transaction
      .exec_prepared(postgres::kInsertRows, room.Finish(), seq.Finish(), id.Finish(),
                     sender.Finish(), cid.Finish(), kind.Finish(), body.Finish(), hash.Finish(),
                     sent_at.Finish(), partition.Finish(), offset.Finish())
      .affected_rows();
}

// The two spots, on one connection.
class PostgresSpots {
 public:
  explicit PostgresSpots(const std::string& url) : connection_(url) {
    postgres::PrepareStatements(connection_);
    connection_.prepare(
        kInsertOne,
        "INSERT INTO messages (room_id, seq, id, sender, cid, kind, body, hash, sent_at) "
        "VALUES ($1, $2, $3::uuid, $4, $5, $6, $7, $8, "
        "TIMESTAMPTZ 'epoch' + $9::bigint * INTERVAL '1 millisecond') "
        "ON CONFLICT (room_id, seq) DO NOTHING");
    connection_.prepare(kPageSeqs,
                        "SELECT seq FROM messages WHERE room_id = $1 AND seq < $2 "
                        "ORDER BY seq DESC LIMIT $3");
    connection_.prepare(kOneRow,
                        "SELECT seq, id, sender, cid, kind, body, hash, sent_at FROM messages "
                        "WHERE room_id = $1 AND seq = $2");
  }

  pid_t backend() const { return connection_.backendpid(); }

  void FillHistory() {
    pqxx::work transaction(connection_);
    for (std::size_t done = 0; done < kHistory; done += kBatch) {
      InsertAll(transaction, RowsOf(kReadRoom, static_cast<std::int64_t>(done) + 1, kBatch));
    }
    transaction.commit();
    pqxx::nontransaction(connection_).exec("ANALYZE messages");
  }

  Status OneByOne() {
    std::size_t inserted = 0;
    for (const Row& row : Next()) {
      pqxx::work transaction(connection_);
      inserted += InsertOne(transaction, row);
      transaction.commit();
    }
    return All(inserted, kBatch);
  }
  Status Batch() {
    std::size_t inserted = 0;
    pqxx::work transaction(connection_);
    for (const Row& row : Next()) inserted += InsertOne(transaction, row);
    transaction.commit();
    return All(inserted, kBatch);
  }
  Status Unnest() {
    pqxx::work transaction(connection_);
    const std::size_t inserted = InsertAll(transaction, Next());
    transaction.commit();
    return All(inserted, kBatch);
  }

  Status PageByMany() {
    pqxx::work transaction(connection_);
    const std::int64_t before = NextPage();
    const pqxx::result seqs = transaction.exec_prepared(kPageSeqs, kReadRoom, before, kPage);
    std::int64_t sum = 0;
    for (const auto& seq : seqs) {
      const pqxx::result row =
          transaction.exec_prepared(kOneRow, kReadRoom, seq[0].as<std::int64_t>());
      sum += row.at(0).at("seq").as<std::int64_t>();
    }
    return All(static_cast<std::size_t>(sum), SumOfPage(before));
  }
  // The product's statement.
  Status PageByOne() {
    pqxx::work transaction(connection_);
    const std::int64_t before = NextPage();
    const pqxx::result rows =
        transaction.exec_prepared(postgres::kRangeLast, kReadRoom, 0, before, kPage);
    std::int64_t sum = 0;
    for (const auto& row : rows) sum += row["seq"].as<std::int64_t>();
    return All(static_cast<std::size_t>(sum), SumOfPage(before));
  }

 private:
  std::vector<Row> Next() {
    const std::int64_t first = next_seq_;
    next_seq_ += kBatch;
    return RowsOf(kWriteRoom, first, kBatch);
  }
  // Pages from all over the room, in an order that a cache gains nothing from.
  std::int64_t NextPage() {
    page_ = (page_ + 7'919) % (kHistory - kPage);
    return static_cast<std::int64_t>(page_ + kPage) + 1;
  }
  // Of the seqs of the kPage rows before `before`.
  static std::size_t SumOfPage(std::int64_t before) {
    return kPage * (static_cast<std::size_t>(before) - 1) - kPage * (kPage - 1) / 2;
  }
  static Status All(std::size_t seen, std::size_t wanted) {
    return seen == wanted ? Status() : Internal("hot-spots: postgres gave something else");
  }

  pqxx::connection connection_;
  std::int64_t next_seq_ = 1;
  std::size_t page_ = 0;
};

Spot RowsSpot(PostgresSpots& spots) {
  return {"rows",
          "Storing: rows of messages",
          "row",
          {{"one by one", kBatch, [&] { return spots.OneByOne(); }, "348 µs"},
           {"100 in a transaction", kBatch, [&] { return spots.Batch(); }, "124 µs"},
           {"100 by one statement (unnest)", kBatch, [&] { return spots.Unnest(); }, "12.6 µs"}},
          {spots.backend()},
          5};
}

Spot HistorySpot(PostgresSpots& spots) {
  return {"history",
          "Reading: a page of 50 messages",
          "page of 50",
          {{"N+1 queries", 1, [&] { return spots.PageByMany(); }},
           {"one query", 1, [&] { return spots.PageByOne(); }}},
          {spots.backend()},
          3};
}

}  // namespace

Result<std::vector<SpotResult>> MeasurePostgres(const SpotPlan& plan) {
  test::ScratchPostgres* server = test::ScratchPostgres::Shared();
  if (server == nullptr) return FailedPrecondition("hot-spots: postgres is not installed");
  const std::string url = server->NewDatabase();
  const auto version = postgres::PostgresMigrator(url).Migrate();
  if (!version.ok()) return version.status();
  PostgresSpots spots(url);
  spots.FillHistory();
  std::vector<SpotResult> results;
  for (const Spot& spot : {RowsSpot(spots), HistorySpot(spots)}) {
    auto result = Measure(spot, plan);
    if (!result.ok()) return result.status();
    results.push_back(std::move(result).value());
  }
  return results;
}

}  // namespace minichat::lab
