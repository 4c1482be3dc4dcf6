#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/base/executor.h"
#include "server/base/mutex.h"
#include "storage/postgres/pg_session.h"

// Private to storage/postgres.
namespace minichat::postgres {

// Runs calls on a few threads with a connection each, and answers on the scheduler.
//
// Lifetime:  Stop() on the scheduler's thread or when that has ended; no answer comes after it.
// Threading: Run() on the scheduler's thread; answers there, never inside the call.
// Errors:    a call whose deadline passes is answered then, whatever its thread does; half a
//            second later its connection is cut, so that the thread comes back from a server that
//            hangs.
class SessionPool {
 public:
  struct Options {
    std::string connection;  // for libpq
    std::size_t sessions;
    std::size_t max_waiting;
  };
  using Work = std::function<void(PgSession&)>;
  using Answer = std::function<void(Status)>;

  SessionPool(const Options& options, const PgSession::Prepare& prepare, Scheduler& scheduler,
              MetricsRegistry& metrics);
  ~SessionPool();

  // `work` runs on a pool's thread, unless the deadline passes before. Then `answer`: OK when
  // `work` has run, whatever came of it.
  void Run(Deadline deadline, Work work, Answer answer);
  void Stop();

  // The last call found a connection.
  bool reachable() const { return reachable_; }

 private:
  struct Call;

  void RunOnSession(const std::shared_ptr<Call>& call, const Work& work);
  void Finish(const std::shared_ptr<Call>& call, Status status);
  void Expire(const std::shared_ptr<Call>& call);
  void Cut(Call& call);

  PgSession& Borrow();
  void GiveBack(PgSession& session);

  Scheduler& scheduler_;
  // Shared with what is posted, which may outlive the pool.
  const std::shared_ptr<std::atomic<bool>> open_;
  std::atomic<bool> reachable_ = false;

  std::vector<std::unique_ptr<PgSession>> sessions_;  // as many as the executor has threads

  Mutex mutex_;
  std::vector<PgSession*> idle_ MINICHAT_GUARDED_BY(mutex_);

  Executor executor_;  // last: its threads use the rest
};

}  // namespace minichat::postgres
