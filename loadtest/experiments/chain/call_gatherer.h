#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <vector>

#include "loadtest/experiments/chain/hop_budget.h"
#include "server/base/mutex.h"

namespace minichat::lab {

// One call, as its caller saw it.
struct CallResult {
  double at_ms = 0;  // when it was made, from the start of the run
  double took_ms = 0;
  int code = 0;  // gRPC's
};

// Gathers the ends of calls, in the order of their start.
//
// Threading: thread-safe.
class CallGatherer {
 public:
  explicit CallGatherer(TimePoint start) : start_(start) {}

  // A call starts; its number, for Ended().
  std::size_t Started();
  void Ended(std::size_t call, int code);
  // Waits until all that started has ended; false when it doesn't within `limit`.
  bool WaitForAll(std::chrono::milliseconds limit);
  // Those that have not ended have took_ms -1.
  std::vector<CallResult> Results() const;

 private:
  const TimePoint start_;
  mutable Mutex mutex_;
  std::condition_variable_any ended_;
  std::vector<CallResult> results_ MINICHAT_GUARDED_BY(mutex_);
  std::size_t pending_ MINICHAT_GUARDED_BY(mutex_) = 0;
};

}  // namespace minichat::lab
