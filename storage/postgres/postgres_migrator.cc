#include "storage/postgres/postgres_migrator.h"

#include <functional>
#include <utility>

#include <pqxx/pqxx>

#include "server/base/log.h"
#include "storage/postgres/migrations.h"
#include "storage/postgres/postgres_url.h"

namespace minichat::postgres {
namespace {

// "minichat" as a number: nobody else's lock.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(7881695214832607604)";
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS schema_migrations ("
    "version integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())";
constexpr const char* kHasTable = "SELECT to_regclass('schema_migrations') IS NOT NULL";
constexpr const char* kVersion = "SELECT coalesce(max(version), 0) FROM schema_migrations";

int Newest() {
  return static_cast<int>(Migrations().size());
}

Status TooNew(int version) {
  return FailedPrecondition("postgres: schema: version " + std::to_string(version) +
                            " is newer than this program's " + std::to_string(Newest()));
}

// Applies the next migration if there is one; the version after it.
Result<int> Advance(pqxx::connection& connection) {
  pqxx::work transaction(connection);
  transaction.exec(kLock);
  transaction.exec(kTable);
  const int version = transaction.exec1(kVersion)[0].as<int>();
  if (version > Newest()) return TooNew(version);
  if (version == Newest()) return version;
  const Migration& next = Migrations()[static_cast<std::size_t>(version)];
  transaction.exec(next.sql);
  transaction.exec_params0("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)",
                           next.version, next.name);
  transaction.commit();
  log::Info("schema_migrated", {{"version", next.version}, {"name", next.name}});
  return next.version;
}

Result<int> ReadVersion(pqxx::connection& connection) {
  pqxx::work transaction(connection);
  if (!transaction.exec1(kHasTable)[0].as<bool>()) return 0;
  return transaction.exec1(kVersion)[0].as<int>();
}

Result<int> WithConnection(const std::string& url,
                           const std::function<Result<int>(pqxx::connection&)>& work) {
  auto string = ConnectionString(url);
  if (!string.ok()) return string.status();
  try {
    pqxx::connection connection(*string);
    const pqxx::quiet_errorhandler quiet(connection);
    return work(connection);
  } catch (const pqxx::sql_error& error) {
    return FailedPrecondition(std::string("postgres: schema: ") + error.what());
  } catch (const std::exception&) {
    // libpq's text may hold all of the URL.
    return Unavailable("postgres: cannot connect to " + RedactUrl(url));
  }
}

}  // namespace

Result<int> PostgresMigrator::Migrate() {
  return WithConnection(url_, [](pqxx::connection& connection) -> Result<int> {
    for (;;) {
      auto version = Advance(connection);
      if (!version.ok() || *version == Newest()) return version;
    }
  });
}

Status PostgresMigrator::Check() {
  const auto version = WithConnection(url_, ReadVersion);
  if (!version.ok()) return version.status();
  if (*version == Newest()) return {};
  if (*version > Newest()) return TooNew(*version);
  return FailedPrecondition("postgres: schema: version " + std::to_string(*version) +
                            " is older than this program's " + std::to_string(Newest()) +
                            ": run `minichat migrate`");
}

}  // namespace minichat::postgres
