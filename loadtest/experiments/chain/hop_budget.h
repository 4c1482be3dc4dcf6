#pragma once

#include <chrono>
#include <optional>

#include "server/base/deadline.h"

namespace minichat::lab {

// The clock of all figures of an experiment: monotonic, and the same in all processes.
inline TimePoint Now() {
  return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
}

// What an order that has arrived may still take: a Deadline, or nothing that limits it. gRPC has no
// "none": an absent deadline looks like the end of time, and subtracting from that overflows.
//
// Threading: immutable.
class HopBudget {
 public:
  // `grpc_deadline` is what gRPC's context of the call tells.
  static HopBudget Of(std::chrono::system_clock::time_point grpc_deadline,
                      std::chrono::system_clock::time_point wall_now, TimePoint now);

  bool unlimited() const { return !deadline_.has_value(); }
  bool Passed(TimePoint now) const { return deadline_ && deadline_->Passed(now); }
  // Empty: unlimited.
  std::optional<Duration> Remaining(TimePoint now) const;
  // What the next hop gets: `margin` less, so that its answer can still be passed on. Zero: there
  // is nothing left, the call should not be made. Empty: unlimited.
  std::optional<Duration> ForNextHop(TimePoint now, Duration margin) const;

 private:
  explicit HopBudget(std::optional<Deadline> deadline) : deadline_(deadline) {}

  std::optional<Deadline> deadline_;
};

}  // namespace minichat::lab
