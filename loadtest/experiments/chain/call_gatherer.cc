#include "loadtest/experiments/chain/call_gatherer.h"

namespace minichat::lab {
namespace {

double MillisBetween(TimePoint from, TimePoint to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

std::size_t CallGatherer::Started() {
  const MutexLock lock(mutex_);
  results_.push_back({MillisBetween(start_, Now()), -1, 0});
  ++pending_;
  return results_.size() - 1;
}

void CallGatherer::Ended(std::size_t call, int code) {
  const MutexLock lock(mutex_);  // notified inside: the waiter may end this object
  CallResult& result = results_[call];
  result.took_ms = MillisBetween(start_, Now()) - result.at_ms;
  result.code = code;
  --pending_;
  ended_.notify_all();
}

bool CallGatherer::WaitForAll(std::chrono::milliseconds limit) {
  MutexLock lock(mutex_);
  return ended_.wait_for(lock, limit, [this]() MINICHAT_REQUIRES(mutex_) { return pending_ == 0; });
}

std::vector<CallResult> CallGatherer::Results() const {
  const MutexLock lock(mutex_);
  return results_;
}

}  // namespace minichat::lab
