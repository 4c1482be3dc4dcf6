#include "server/base/executor.h"

#include <limits>
#include <utility>

#include <pthread.h>

#include "server/base/check.h"
#include "server/base/mutex.h"

namespace minichat {
namespace {

// The kernel keeps 15 characters of a thread's name.
void NameThisThread(const std::string& prefix, std::size_t number) {
  const std::string suffix = "-" + std::to_string(number);
  pthread_setname_np(pthread_self(), (prefix.substr(0, 15 - suffix.size()) + suffix).c_str());
}

}  // namespace

Executor::Executor(ExecutorOptions options, MetricsRegistry& metrics)
    : options_(std::move(options)),
      pool_size_(metrics.AddGauge("executor_pool_size_threads", "Threads of the pool",
                                  {{"name", options_.name}})),
      active_(metrics.AddGauge("executor_active_threads", "Threads that run a task",
                               {{"name", options_.name}})),
      queued_(metrics.AddGauge("executor_queued_tasks", "Tasks that wait for a thread",
                               {{"name", options_.name}})),
      completed_(metrics.AddCounter("executor_completed_tasks_total",
                                    "Tasks that the pool's threads have run",
                                    {{"name", options_.name}})),
      rejected_(metrics.AddCounter("executor_rejected_tasks_total",
                                   "Tasks that the pool did not take", {{"name", options_.name}})),
      queue_(options_.queue_tasks, std::numeric_limits<std::size_t>::max()) {
  // Without a core thread nobody would take what is queued.
  CHECK(options_.core_threads >= 1 && options_.max_threads >= options_.core_threads);
  CHECK(options_.queue_tasks >= 1);
}

Executor::~Executor() {
  Stop();
}

bool Executor::Submit(Work work) {
  const Offer offer = TryTake(work);
  if (offer == Offer::kTaken) return true;
  rejected_.Increment();
  if (offer == Offer::kStopped || options_.overflow == Overflow::kReject) return false;
  work();
  return true;
}

Executor::Offer Executor::TryTake(Work& work) {
  Threads ended;  // joined outside the lock
  const MutexLock lock(mutex_);
  ended.swap(retired_);
  if (stopped_) return Offer::kStopped;
  if (threads_.size() < options_.core_threads) {
    StartThreadLocked(std::move(work));
    return Offer::kTaken;
  }
  queued_.Increment();
  if (queue_.TryPush(std::move(work))) return Offer::kTaken;
  queued_.Decrement();
  if (threads_.size() == options_.max_threads) return Offer::kOverflow;
  // A queue that is full has not moved it. NOLINTNEXTLINE(bugprone-use-after-move)
  StartThreadLocked(std::move(work));
  return Offer::kTaken;
}

void Executor::StartThreadLocked(Work first) {
  // The thread needs its own place in the list, so the place is made first.
  const auto self = threads_.emplace(threads_.end());
  const std::size_t number = started_++;
  pool_size_.Increment();
  *self =
      std::jthread([this, self, number, first = std::move(first)](std::stop_token stop) mutable {
        NameThisThread(options_.name, number);
        Run(self, std::move(first), std::move(stop));
      });
}

void Executor::Run(Threads::iterator self, Work first, std::stop_token stop) {
  RunCounted(first);
  first = nullptr;  // what it holds must not live as long as the thread
  for (;;) {
    if (auto work = queue_.PopFor(options_.keep_alive, stop)) {
      queued_.Decrement();
      RunCounted(*work);
    } else if (stop.stop_requested() || RetireIfSurplus(self)) {
      break;
    }
  }
  pool_size_.Decrement();
}

void Executor::RunCounted(const Work& work) {
  active_.Increment();
  work();
  active_.Decrement();
  completed_.Increment();
}

bool Executor::RetireIfSurplus(Threads::iterator self) {
  const MutexLock lock(mutex_);
  if (stopped_ || threads_.size() <= options_.core_threads) return false;
  retired_.splice(retired_.end(), threads_, self);
  return true;
}

void Executor::Stop() {
  Threads ending;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    ending.splice(ending.end(), threads_);
    ending.splice(ending.end(), retired_);
  }
  // All are told before the first is joined, so that they drain the queue together.
  for (std::jthread& thread : ending) thread.request_stop();
}

std::size_t Executor::threads() const {
  const MutexLock lock(mutex_);
  return threads_.size();
}

}  // namespace minichat
