#include "storage/postgres/postgres_client.h"

#include <utility>

#include "server/base/log.h"
#include "storage/postgres/pool_calls.h"
#include "storage/postgres/postgres_url.h"
#include "storage/postgres/statements.h"

namespace minichat::postgres {
namespace {

constexpr Duration kProbeBudget = std::chrono::seconds(2);

}  // namespace

PostgresClient::PostgresClient(PostgresOptions options, Scheduler& scheduler,
                               MetricsRegistry& metrics)
    : options_(std::move(options)), scheduler_(scheduler), metrics_(metrics) {}

PostgresClient::~PostgresClient() {
  Stop();
}

Status PostgresClient::Start() {
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

void PostgresClient::Stop() {
  stopped_ = true;
  if (pool_) pool_->Stop();
}

bool PostgresClient::reachable() const {
  return pool_ && !stopped_ && pool_->reachable();
}

// Notices an outage when nobody calls, and its end.
void PostgresClient::Probe() {
  if (stopped_) return;
  TransactStatus(
      *pool_, Deadline::After(scheduler_, kProbeBudget),
      [](pqxx::work& transaction) { transaction.exec("SELECT 1"); },
      [this](const Status&) {
        NoteReachable();
        scheduler_.RunAfter(options_.probe_period, [this, alive = std::weak_ptr<bool>(alive_)] {
          if (!alive.expired()) Probe();
        });
      });
}

void PostgresClient::NoteReachable() {
  if (std::exchange(was_reachable_, pool_->reachable()) == pool_->reachable()) return;
  if (was_reachable_) {
    log::Info("postgres_up");
  } else {
    log::Warn("postgres_down");
  }
}

}  // namespace minichat::postgres
