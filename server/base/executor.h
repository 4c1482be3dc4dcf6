#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <thread>

#include "server/base/bounded_queue.h"
#include "server/base/metrics.h"
#include "server/base/mutex.h"
#include "server/base/scheduler.h"

namespace minichat {

// What happens to a task when all threads are busy and the queue is full.
enum class Overflow {
  kReject,      // Submit() says no
  kCallerRuns,  // the submitting thread runs the task itself, inside Submit()
};

struct ExecutorOptions {
  std::string name;                 // label of the metrics, prefix of the thread names
  std::size_t core_threads = 2;     // at least 1; kept for ever once started
  std::size_t max_threads = 4;      // at least core_threads
  std::size_t queue_tasks = 1'000;  // at least 1
  Duration keep_alive = std::chrono::seconds(60);  // of an idle thread above core_threads
  Overflow overflow = Overflow::kReject;
};

// A thread pool for blocking work that grows exactly in this order: a new thread up to
// `core_threads`, then the queue, then a new thread up to `max_threads`, then the overflow policy.
//
// Lifetime:  its end is Stop().
// Threading: thread-safe; tasks run on the pool's threads in no order that is promised.
// Errors:    a task must not throw.
// Limits:    ExecutorOptions. Submitted = completed + rejected once all is done; a task that the
//            caller ran counts as rejected, as the pool did not take it.
class Executor {
 public:
  using Work = std::function<void()>;

  Executor(ExecutorOptions options, MetricsRegistry& metrics);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // False: refused, by the overflow policy or after Stop(). True: it runs, or ran inside.
  bool Submit(Work work);
  // Takes nothing more, runs what is queued, ends the threads. Idempotent. Not from a task.
  void Stop();

  std::size_t threads() const;
  std::size_t queued() const { return queue_.size(); }

 private:
  enum class Offer { kTaken, kOverflow, kStopped };
  using Threads = std::list<std::jthread>;

  Offer TryTake(Work& work);
  void StartThreadLocked(Work first) MINICHAT_REQUIRES(mutex_);
  void Run(Threads::iterator self, Work first, std::stop_token stop);
  void RunCounted(const Work& work);
  bool RetireIfSurplus(Threads::iterator self);

  const ExecutorOptions options_;
  Gauge& pool_size_;
  Gauge& active_;
  Gauge& queued_;
  Counter& completed_;
  Counter& rejected_;

  BoundedQueue<Work> queue_;  // its lock is taken inside mutex_, never the other way round

  mutable Mutex mutex_;
  bool stopped_ MINICHAT_GUARDED_BY(mutex_) = false;
  std::size_t started_ MINICHAT_GUARDED_BY(mutex_) = 0;
  Threads threads_ MINICHAT_GUARDED_BY(mutex_);
  Threads retired_ MINICHAT_GUARDED_BY(mutex_);  // ended by themselves, not yet joined
};

}  // namespace minichat
