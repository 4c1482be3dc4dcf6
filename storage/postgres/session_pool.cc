#include "storage/postgres/session_pool.h"

#include <utility>

#include "server/base/check.h"
#include "server/base/mutex.h"

namespace minichat::postgres {
namespace {

constexpr Duration kCutAfter = std::chrono::milliseconds(500);

}  // namespace

// What the scheduler's thread and a pool's thread share of one call.
struct SessionPool::Call {
  // Of the scheduler's thread.
  Answer answer;
  Scheduler::TimerId timer = 0;
  bool answered = false;

  Mutex mutex;
  bool expired MINICHAT_GUARDED_BY(mutex) = false;
  PgSession* session MINICHAT_GUARDED_BY(mutex) = nullptr;  // while the work runs
};

SessionPool::SessionPool(const Options& options, const PgSession::Prepare& prepare,
                         Scheduler& scheduler, MetricsRegistry& metrics)
    : scheduler_(scheduler),
      open_(std::make_shared<std::atomic<bool>>(true)),
      executor_({.name = "postgres",
                 .core_threads = options.sessions,
                 .max_threads = options.sessions,
                 .queue_tasks = options.max_waiting},
                metrics) {
  for (std::size_t i = 0; i < options.sessions; ++i) {
    sessions_.push_back(std::make_unique<PgSession>(options.connection, scheduler, prepare));
    idle_.push_back(sessions_.back().get());
  }
}

SessionPool::~SessionPool() {
  Stop();
}

void SessionPool::Run(Deadline deadline, Work work, Answer answer) {
  auto call = std::make_shared<Call>();
  call->answer = std::move(answer);
  const Duration budget = deadline.Remaining(scheduler_.Now());
  if (budget == Duration::zero()) {
    Finish(call, DeadlineExceeded("postgres: no time left"));
    return;
  }
  call->timer = scheduler_.RunAfter(budget, [this, open = open_, call] {
    if (*open) Expire(call);
  });
  const bool taken =
      executor_.Submit([this, call, work = std::move(work)] { RunOnSession(call, work); });
  if (!taken) Finish(call, ResourceExhausted("postgres: too many calls wait"));
}

void SessionPool::RunOnSession(const std::shared_ptr<Call>& call, const Work& work) {
  PgSession& session = Borrow();
  bool wanted = false;
  {
    const MutexLock lock(call->mutex);
    wanted = !call->expired && *open_;
    if (wanted) call->session = &session;
  }
  if (wanted) {
    work(session);
    reachable_ = session.connected();
    const MutexLock lock(call->mutex);
    call->session = nullptr;
  }
  GiveBack(session);
  Finish(call, {});
}

// The first answer counts. From any thread.
void SessionPool::Finish(const std::shared_ptr<Call>& call, Status status) {
  scheduler_.Post([this, open = open_, call, status = std::move(status)] {
    if (!*open || call->answered) return;
    call->answered = true;
    scheduler_.Cancel(call->timer);
    std::exchange(call->answer, nullptr)(status);
  });
}

void SessionPool::Expire(const std::shared_ptr<Call>& call) {
  {
    const MutexLock lock(call->mutex);
    call->expired = true;
  }
  call->answered = true;
  scheduler_.RunAfter(kCutAfter, [this, open = open_, call] {
    if (*open) Cut(*call);
  });
  std::exchange(call->answer, nullptr)(DeadlineExceeded("postgres: no answer in time"));
}

void SessionPool::Cut(Call& call) {
  const MutexLock lock(call.mutex);
  if (call.session == nullptr) return;
  reachable_ = false;
  call.session->Abort();
}

PgSession& SessionPool::Borrow() {
  const MutexLock lock(mutex_);
  CHECK(!idle_.empty());  // as many as there are threads
  PgSession* session = idle_.back();
  idle_.pop_back();
  return *session;
}

void SessionPool::GiveBack(PgSession& session) {
  const MutexLock lock(mutex_);
  idle_.push_back(&session);
}

void SessionPool::Stop() {
  *open_ = false;
  // A session that runs nothing minds no cut.
  for (const auto& session : sessions_) session->Abort();
  executor_.Stop();
}

}  // namespace minichat::postgres
