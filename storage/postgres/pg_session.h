#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <pqxx/pqxx>

#include "server/base/deadline.h"
#include "server/base/mutex.h"
#include "server/base/scheduler.h"
#include "server/base/status.h"

// Private to storage/postgres: everything that knows how libpqxx fails.
namespace minichat::postgres {

// What a caught exception of libpqxx means for who ran the transaction.
struct Failure {
  enum class Kind {
    kAgain,       // rolled back for reasons that pass: deadlock, serialisation, lock timeout
    kConnection,  // lost, or in doubt: with a new connection the same may be done again
    kData,        // the values can't be stored, now or later
    kOther,
  };
  Kind kind;
  Status status;  // of kData: InvalidArgument
};

// Must be called inside a catch block.
Failure JudgeCurrentException();

// One connection to Postgres, made when it is needed and made anew when it was lost.
//
// Threading: used by one thread at a time; Abort() from any.
// Errors:    Unavailable, DeadlineExceeded, or InvalidArgument for data that can't be stored.
class PgSession {
 public:
  using Prepare = std::function<void(pqxx::connection_base&)>;

  // `connection` is a string for libpq; `prepare` runs on each new connection.
  PgSession(std::string connection, Scheduler& clock, Prepare prepare);
  ~PgSession();

  // Runs `work` in a transaction and commits. Tries again what may be tried again, within the
  // deadline, so `work` must be safe to repeat even when it was committed.
  template <class T>
  Result<T> Transact(Deadline deadline, const std::function<T(pqxx::work&)>& work);

  bool connected() const { return open_ != nullptr; }

  // Ends what runs by cutting the connection: the only way out when a server hangs.
  void Abort();

 private:
  struct Open;

  static constexpr int kAttempts = 4;
  static constexpr Duration kFirstBackoff = std::chrono::milliseconds(100);
  static constexpr Duration kMaxBackoff = std::chrono::seconds(2);

  Status Connect();
  bool TryConnect();
  void Disconnect();
  pqxx::connection_base& connection();
  // None: try again.
  std::optional<Status> OnFailure(const Failure& failure);

  const std::string connection_string_;
  Scheduler& clock_;
  const Prepare prepare_;
  std::unique_ptr<Open> open_;
  Duration backoff_ = kFirstBackoff;
  TimePoint next_connect_{};

  Mutex mutex_;
  int socket_ MINICHAT_GUARDED_BY(mutex_) = -1;
};

template <class T>
Result<T> PgSession::Transact(Deadline deadline, const std::function<T(pqxx::work&)>& work) {
  Status last = DeadlineExceeded("postgres: no time left");
  for (int attempt = 0; attempt < kAttempts && !deadline.Passed(clock_.Now()); ++attempt) {
    if (Status connected = Connect(); !connected.ok()) return connected;
    try {
      pqxx::work transaction(connection());
      T value = work(transaction);
      transaction.commit();
      return value;
    } catch (...) {
      const Failure failure = JudgeCurrentException();
      if (const auto status = OnFailure(failure)) return *status;
      last = failure.status;
    }
  }
  return last;
}

}  // namespace minichat::postgres
