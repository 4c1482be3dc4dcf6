#pragma once

#include <cstddef>
#include <functional>
#include <thread>

#include "server/base/bounded_queue.h"
#include "server/base/executor.h"
#include "server/base/metrics.h"

namespace minichat {

// An Executor behind a queue and a thread, of the executor's name, that submits what is in the
// queue. Who hands a task over never waits and never runs it, whatever the executor's overflow
// policy says: the caller that has to is that thread, and meanwhile the queue fills.
//
// Lifetime:  its end is Stop().
// Threading: HandOver() and Stop() confined to one thread; tasks run on the pool's threads, or on
//            the one that submits. No order is promised.
// Errors:    of a task that was taken exactly one part is run, once.
// Limits:    `max_waiting` tasks in the queue (gauge and overflows under the executor's name), then
//            those of the executor.
class FedExecutor {
 public:
  struct Task {
    Executor::Work run;
    Executor::Work refused;  // runs instead when the executor rejects it
  };

  FedExecutor(const ExecutorOptions& options, std::size_t max_waiting, MetricsRegistry& metrics);
  ~FedExecutor();

  // False: the queue is full, or after Stop(); nothing of the task is run.
  bool HandOver(Task task);
  // Half of the queue is in use: time to take in less.
  bool filling() const { return queue_.size() > max_waiting_ / 2; }
  // Takes nothing more, runs all that was taken, ends the threads. Idempotent.
  void Stop();

 private:
  void Feed(const std::stop_token& stop);

  const std::size_t max_waiting_;
  Gauge& depth_;
  Counter& overflows_;
  BoundedQueue<Task> queue_;
  Executor executor_;
  bool stopped_ = false;
  std::jthread feeder_;
};

}  // namespace minichat
