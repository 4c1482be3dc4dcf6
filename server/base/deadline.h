#pragma once

#include <algorithm>

#include "server/base/scheduler.h"

namespace minichat {

// The budget of an operation: a fixed end that travels with the work, so that no step can take
// more than what its caller has left.
//
// Threading: immutable.
class Deadline {
 public:
  static Deadline At(TimePoint end) { return Deadline(end); }
  static Deadline After(const Scheduler& scheduler, Duration budget) {
    return Deadline(scheduler.Now() + budget);
  }

  TimePoint end() const { return end_; }
  bool Passed(TimePoint now) const { return now > end_; }
  // Never negative.
  Duration Remaining(TimePoint now) const { return std::max(Duration::zero(), end_ - now); }
  Deadline Earlier(Deadline other) const { return Deadline(std::min(end_, other.end_)); }

 private:
  explicit Deadline(TimePoint end) : end_(end) {}
  TimePoint end_;
};

}  // namespace minichat
