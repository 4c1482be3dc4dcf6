#include "storage/postgres/postgres_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/postgres/pool_calls.h"
#include "storage/postgres/postgres_client.h"
#include "storage/postgres/row_writer.h"
#include "storage/postgres/statements.h"

namespace minichat::postgres {
namespace {

core::Generation GenerationOf(core::Seq seq) {
  return (seq - 1) / core::kGenerationStep + 1;
}

core::Generation NumberOf(const pqxx::row& row) {
  return row[0].as<core::Generation>();
}

core::PlacedMessage ToPlaced(const core::RoomId& room, const pqxx::row& row) {
  auto message = std::make_shared<core::Message>();
  const bool is_id = core::MessageId::FromText(row["id"].c_str(), &message->id);
  CHECK(is_id);  // the column is a uuid
  message->room = room;
  message->sender = core::UserId(row["sender"].as<std::string>());
  message->cid = core::ClientMessageId(row["cid"].as<std::string>());
  message->kind = static_cast<core::BodyKind>(row["kind"].as<int>());
  message->body = row["body"].as<std::string>();
  message->hash = static_cast<core::BodyHash>(row["hash"].as<std::int64_t>());
  message->sent_at_ms = row["sent_at_ms"].as<std::int64_t>();
  const auto seq = row["seq"].as<core::Seq>();
  return {std::move(message), {.seq = seq, .prev = 0, .generation = GenerationOf(seq)}};
}

core::WarmingFacts Warm(pqxx::work& transaction, const std::string& room,
                        core::Generation generation) {
  transaction.exec_prepared0(kRaiseCurrent, generation);
  // Held until the commit: what was read below stays true for `generation`.
  const auto current = NumberOf(transaction.exec_prepared1(kCurrentForShare));
  if (current > generation) return {.refused = true};
  const pqxx::row newest = transaction.exec_prepared1(kNewestRow, room);
  core::WarmingFacts facts{.max_seq = newest[0].as<core::Seq>()};
  // The server's clock may have been set back since.
  if (!newest[1].is_null())
    facts.newest_age_ms = std::max<std::int64_t>(0, newest[1].as<std::int64_t>());
  return facts;
}

std::optional<core::StoredRow> FindRow(pqxx::work& transaction, const std::string& room,
                                       const std::string& id, const std::string& variant,
                                       core::BodyHash hash) {
  const pqxx::result found =
      transaction.exec_prepared(kLookup, room, id, variant, static_cast<std::int64_t>(hash));
  if (found.empty()) return std::nullopt;
  return core::StoredRow{.seq = found[0][0].as<core::Seq>(),
                         .hash = static_cast<core::BodyHash>(found[0][1].as<std::int64_t>()),
                         .sent_at_ms = found[0][2].as<std::int64_t>()};
}

std::vector<core::PlacedMessage> ReadRange(pqxx::work& transaction,
                                           const core::RangeRequest& request) {
  const pqxx::result rows =
      transaction.exec_prepared(request.from_end ? kRangeLast : kRangeFirst, request.room.value(),
                                std::min(request.after, core::kMaxSeq),
                                std::min(request.before, core::kMaxSeq + 1), request.limit);
  std::vector<core::PlacedMessage> messages;
  for (const pqxx::row& row : rows) messages.push_back(ToPlaced(request.room, row));
  if (request.from_end) std::reverse(messages.begin(), messages.end());
  return messages;
}

std::vector<Letter> ToLetters(std::vector<core::DeadLetter> letters) {
  std::vector<Letter> out;
  out.reserve(letters.size());
  for (core::DeadLetter& letter : letters) {
    out.push_back(
        {letter.partition, letter.offset, std::move(letter.error), std::move(letter.raw), {}, {}});
  }
  return out;
}

}  // namespace

bool PostgresStore::available() const {
  return client_.reachable();
}

void PostgresStore::NextGeneration(const std::string& run_id, Deadline deadline,
                                   Callback<Result<core::Generation>> done) {
  Transact<core::Generation>(
      client_.pool(), deadline,
      [run_id](pqxx::work& transaction) {
        return NumberOf(transaction.exec_prepared1(kNextGeneration, run_id));
      },
      std::move(done));
}

void PostgresStore::CurrentGeneration(Deadline deadline, Callback<Result<core::Generation>> done) {
  Transact<core::Generation>(
      client_.pool(), deadline,
      [](pqxx::work& transaction) { return NumberOf(transaction.exec_prepared1(kCurrent)); },
      std::move(done));
}

void PostgresStore::PrepareWarming(const core::RoomId& room, core::Generation generation,
                                   Deadline deadline, Callback<Result<core::WarmingFacts>> done) {
  Transact<core::WarmingFacts>(
      client_.pool(), deadline,
      [room = room.value(), generation](pqxx::work& transaction) {
        return Warm(transaction, room, generation);
      },
      std::move(done));
}

void PostgresStore::Lookup(const core::RoomId& room, const core::MessageId& id,
                           std::optional<core::MessageId> variant, core::BodyHash hash,
                           Deadline deadline,
                           Callback<Result<std::optional<core::StoredRow>>> done) {
  const std::string id_text = id.ToText();
  const std::string variant_text = variant ? variant->ToText() : id_text;
  Transact<std::optional<core::StoredRow>>(
      client_.pool(), deadline,
      [room = room.value(), id_text, variant_text, hash](pqxx::work& transaction) {
        return FindRow(transaction, room, id_text, variant_text, hash);
      },
      std::move(done));
}

void PostgresStore::Insert(std::vector<core::NewRow> rows, core::Generation generation,
                           Deadline deadline, Callback<Result<core::InsertReply>> done) {
  Call<core::InsertReply>(
      client_.pool(), deadline,
      [rows = std::move(rows), topic = topic_, generation, deadline](PgSession& session) {
        return RowWriter(session, topic, generation, deadline).Write(rows);
      },
      std::move(done));
}

void PostgresStore::Range(const core::RangeRequest& request, Deadline deadline,
                          Callback<Result<std::vector<core::PlacedMessage>>> done) {
  Transact<std::vector<core::PlacedMessage>>(
      client_.pool(), deadline,
      [request](pqxx::work& transaction) { return ReadRange(transaction, request); },
      std::move(done));
}

void PostgresStore::AddDeadLetters(std::vector<core::DeadLetter> letters, Deadline deadline,
                                   Callback<Status> done) {
  TransactStatus(
      client_.pool(), deadline,
      [letters = ToLetters(std::move(letters)), topic = topic_](pqxx::work& transaction) {
        AddLetters(transaction, topic, letters);
      },
      std::move(done));
}

}  // namespace minichat::postgres
