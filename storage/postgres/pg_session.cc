#include "storage/postgres/pg_session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "server/base/log.h"
#include "server/base/mutex.h"

namespace minichat::postgres {
namespace {

constexpr const char* kSessionSettings =
    "SET statement_timeout = 5000; SET lock_timeout = 2000; "
    "SET idle_in_transaction_session_timeout = 10000";

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Server messages quote values, so they may hold message text: logs get the state alone.
Failure JudgeSqlError(const pqxx::sql_error& error) {
  const std::string& state = error.sqlstate();
  const std::string text = "postgres: sqlstate " + state;
  if (StartsWith(state, "40") || state == "55P03") {
    return {Failure::Kind::kAgain, Unavailable(text)};
  }
  if (StartsWith(state, "08") || StartsWith(state, "57P")) {
    return {Failure::Kind::kConnection, Unavailable(text)};
  }
  if (StartsWith(state, "22") || StartsWith(state, "23") || StartsWith(state, "54")) {
    return {Failure::Kind::kData, InvalidArgument(text)};
  }
  if (state == "57014") return {Failure::Kind::kOther, DeadlineExceeded(text)};
  // An error without a state comes from the client library: the link died in the middle.
  if (state.empty()) return {Failure::Kind::kConnection, Unavailable("postgres: link broken")};
  return {Failure::Kind::kOther, Unavailable(text)};
}

}  // namespace

Failure JudgeCurrentException() {
  try {
    throw;
  } catch (const pqxx::in_doubt_error&) {
    return {Failure::Kind::kConnection, Unavailable("postgres: commit in doubt")};
  } catch (const pqxx::broken_connection&) {
    return {Failure::Kind::kConnection, Unavailable("postgres: connection lost")};
  } catch (const pqxx::sql_error& error) {
    return JudgeSqlError(error);
  } catch (const std::exception&) {
    // A value that does not convert: its text is in what().
    return {Failure::Kind::kOther, Unavailable("postgres: unexpected answer")};
  }
}

struct PgSession::Open {
  explicit Open(const std::string& string) : connection(string), quiet(connection) {}

  pqxx::connection connection;
  pqxx::quiet_errorhandler quiet;  // notices would go to standard error, with message text
};

PgSession::PgSession(std::string connection, Scheduler& clock, Prepare prepare)
    : connection_string_(std::move(connection)), clock_(clock), prepare_(std::move(prepare)) {}

PgSession::~PgSession() {
  Disconnect();
}

pqxx::connection_base& PgSession::connection() {
  return open_->connection;
}

Status PgSession::Connect() {
  if (open_) return {};
  if (clock_.Now() < next_connect_) return Unavailable("postgres: away, waits to reconnect");
  // The first failure may be the tail of what broke the connection before, so it gets a second
  // chance; after that the server counts as away.
  if (TryConnect() || (backoff_ == kFirstBackoff && TryConnect())) {
    backoff_ = kFirstBackoff;
    return {};
  }
  next_connect_ = clock_.Now() + backoff_;
  backoff_ = std::min(2 * backoff_, kMaxBackoff);
  return Unavailable("postgres: cannot connect");
}

bool PgSession::TryConnect() {
  try {
    auto open = std::make_unique<Open>(connection_string_);
    pqxx::nontransaction(open->connection).exec(kSessionSettings);
    prepare_(open->connection);
    const MutexLock lock(mutex_);
    socket_ = open->connection.sock();
    open_ = std::move(open);
    return true;
  } catch (const std::exception& error) {
    // At the begin of an outage only. libpq quotes a URL that it can't read, with the password.
    const std::string cause = error.what();
    if (backoff_ == kFirstBackoff) {
      const bool shows_url = cause.find("://") != std::string::npos;
      log::Warn("postgres_connect_failed", {{"cause", shows_url ? "bad url" : cause}});
    }
    return false;
  }
}

void PgSession::Disconnect() {
  {
    const MutexLock lock(mutex_);
    socket_ = -1;  // its number may be another file's once it is closed
  }
  open_.reset();
}

std::optional<Status> PgSession::OnFailure(const Failure& failure) {
  // The connection's own word that it is gone counts more than the error's kind.
  if (failure.kind == Failure::Kind::kConnection || !open_->connection.is_open()) {
    Disconnect();
    return std::nullopt;
  }
  if (failure.kind == Failure::Kind::kAgain) return std::nullopt;
  return failure.status;
}

void PgSession::Abort() {
  const MutexLock lock(mutex_);
  if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
}

}  // namespace minichat::postgres
