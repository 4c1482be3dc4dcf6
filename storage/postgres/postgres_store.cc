#include "storage/postgres/postgres_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "server/base/log.h"
#include "storage/postgres/postgres_url.h"
#include "storage/postgres/row_writer.h"
#include "storage/postgres/session_pool.h"
#include "storage/postgres/statements.h"

namespace minichat::postgres {
namespace {

constexpr Duration kProbeBudget = std::chrono::seconds(2);

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
  const pqxx::result newest = transaction.exec_prepared(kNewestRow, room);
  if (newest.empty()) return {};
  // The server's clock may have been set back since.
  return {.max_seq = newest[0][0].as<core::Seq>(),
          .newest_age_ms = std::max<std::int64_t>(0, newest[0][1].as<std::int64_t>())};
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
        {letter.partition, letter.offset, std::move(letter.error), std::move(letter.raw)});
  }
  return out;
}

}  // namespace

class PostgresStore::Impl {
 public:
  Impl(PostgresStoreOptions options, Scheduler& scheduler, MetricsRegistry& metrics)
      : options_(std::move(options)), scheduler_(scheduler), metrics_(metrics) {}

  Status Start();
  void Stop();
  bool reachable() const { return pool_ && !stopped_ && pool_->reachable(); }
  const std::string& topic() const { return options_.topic; }

  template <class T>
  void Call(Deadline deadline, std::function<Result<T>(PgSession&)> work,
            Callback<Result<T>> done) {
    auto result = std::make_shared<std::optional<Result<T>>>();
    pool_->Run(
        deadline, [result, work = std::move(work)](PgSession& s) { result->emplace(work(s)); },
        [result, done = std::move(done)](Status status) {
          done(status.ok() ? std::move(**result) : Result<T>(std::move(status)));
        });
  }

  // A call that is one transaction.
  template <class T>
  void Transact(Deadline deadline, std::function<T(pqxx::work&)> work, Callback<Result<T>> done) {
    Call<T>(
        deadline,
        [deadline, work = std::move(work)](PgSession& s) { return s.Transact<T>(deadline, work); },
        std::move(done));
  }

 private:
  void Probe();
  void NoteReachable();

  const PostgresStoreOptions options_;
  Scheduler& scheduler_;
  MetricsRegistry& metrics_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::atomic<bool> stopped_ = false;
  bool was_reachable_ = false;
  std::unique_ptr<SessionPool> pool_;
};

Status PostgresStore::Impl::Start() {
  auto connection = ConnectionString(options_.url);
  if (!connection.ok()) return connection.status();
  pool_ = std::make_unique<SessionPool>(
      SessionPool::Options{*connection, options_.connections, options_.max_waiting_calls},
      PrepareStatements, scheduler_, metrics_);
  scheduler_.Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) Probe();
  });
  return {};
}

void PostgresStore::Impl::Stop() {
  stopped_ = true;
  if (pool_) pool_->Stop();
}

// Keeps reachable() true to the world when nobody calls, and brings it back after an outage.
void PostgresStore::Impl::Probe() {
  if (stopped_) return;
  Transact<bool>(
      Deadline::After(scheduler_, kProbeBudget),
      [](pqxx::work& transaction) {
        transaction.exec("SELECT 1");
        return true;
      },
      [this](const Result<bool>&) {
        NoteReachable();
        scheduler_.RunAfter(options_.probe_period, [this, alive = std::weak_ptr<bool>(alive_)] {
          if (!alive.expired()) Probe();
        });
      });
}

void PostgresStore::Impl::NoteReachable() {
  if (std::exchange(was_reachable_, pool_->reachable()) == pool_->reachable()) return;
  if (was_reachable_) {
    log::Info("postgres_up");
  } else {
    log::Warn("postgres_down");
  }
}

PostgresStore::PostgresStore(PostgresStoreOptions options, Scheduler& scheduler,
                             MetricsRegistry& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), scheduler, metrics)) {}

PostgresStore::~PostgresStore() {
  Stop();
}

Status PostgresStore::Start() {
  return impl_->Start();
}

void PostgresStore::Stop() {
  impl_->Stop();
}

bool PostgresStore::available() const {
  return impl_->reachable();
}

void PostgresStore::NextGeneration(const std::string& run_id, Deadline deadline,
                                   Callback<Result<core::Generation>> done) {
  impl_->Transact<core::Generation>(
      deadline,
      [run_id](pqxx::work& transaction) {
        return NumberOf(transaction.exec_prepared1(kNextGeneration, run_id));
      },
      std::move(done));
}

void PostgresStore::CurrentGeneration(Deadline deadline, Callback<Result<core::Generation>> done) {
  impl_->Transact<core::Generation>(
      deadline,
      [](pqxx::work& transaction) { return NumberOf(transaction.exec_prepared1(kCurrent)); },
      std::move(done));
}

void PostgresStore::PrepareWarming(const core::RoomId& room, core::Generation generation,
                                   Deadline deadline, Callback<Result<core::WarmingFacts>> done) {
  impl_->Transact<core::WarmingFacts>(
      deadline,
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
  impl_->Transact<std::optional<core::StoredRow>>(
      deadline,
      [room = room.value(), id_text, variant_text, hash](pqxx::work& transaction) {
        return FindRow(transaction, room, id_text, variant_text, hash);
      },
      std::move(done));
}

void PostgresStore::Insert(std::vector<core::NewRow> rows, core::Generation generation,
                           Deadline deadline, Callback<Result<core::InsertReply>> done) {
  impl_->Call<core::InsertReply>(
      deadline,
      [rows = std::move(rows), topic = impl_->topic(), generation, deadline](PgSession& session) {
        return RowWriter(session, topic, generation, deadline).Write(rows);
      },
      std::move(done));
}

void PostgresStore::Range(const core::RangeRequest& request, Deadline deadline,
                          Callback<Result<std::vector<core::PlacedMessage>>> done) {
  impl_->Transact<std::vector<core::PlacedMessage>>(
      deadline, [request](pqxx::work& transaction) { return ReadRange(transaction, request); },
      std::move(done));
}

void PostgresStore::AddDeadLetters(std::vector<core::DeadLetter> letters, Deadline deadline,
                                   Callback<Status> done) {
  impl_->Transact<bool>(
      deadline,
      [letters = ToLetters(std::move(letters)), topic = impl_->topic()](pqxx::work& transaction) {
        AddLetters(transaction, topic, letters);
        return true;
      },
      [done = std::move(done)](const Result<bool>& result) { done(result.status()); });
}

}  // namespace minichat::postgres
