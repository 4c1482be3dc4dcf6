#include "server/base/fed_executor.h"

#include <limits>
#include <utility>

#include <pthread.h>

namespace minichat {

FedExecutor::FedExecutor(const ExecutorOptions& options, std::size_t max_waiting,
                         MetricsRegistry& metrics)
    : max_waiting_(max_waiting),
      depth_(metrics.AddGauge("minichat_queue_depth", "Entries in a bounded queue",
                              {{"queue", options.name}})),
      overflows_(metrics.AddCounter("minichat_queue_overflows_total",
                                    "Entries refused by a full queue", {{"queue", options.name}})),
      queue_(max_waiting, std::numeric_limits<std::size_t>::max()),
      executor_(options, metrics),
      feeder_([this, name = options.name.substr(0, 15)](const std::stop_token& stop) {
        pthread_setname_np(pthread_self(), name.c_str());
        Feed(stop);
      }) {}

FedExecutor::~FedExecutor() {
  Stop();
}

bool FedExecutor::HandOver(Task task) {
  if (stopped_) return false;
  depth_.Increment();
  if (queue_.TryPush(std::move(task))) return true;
  depth_.Decrement();
  overflows_.Increment();
  return false;
}

void FedExecutor::Stop() {
  if (std::exchange(stopped_, true)) return;
  feeder_.request_stop();
  feeder_.join();  // it submits what is left first
  executor_.Stop();
}

void FedExecutor::Feed(const std::stop_token& stop) {
  while (auto task = queue_.Pop(stop)) {
    depth_.Decrement();
    if (!executor_.Submit(std::move(task->run))) task->refused();
  }
}

}  // namespace minichat
