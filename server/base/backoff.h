#pragma once

#include <chrono>

#include "server/base/scheduler.h"

namespace minichat {

struct BackoffOptions {
  Duration first = std::chrono::milliseconds(50);
  Duration longest = std::chrono::seconds(2);
};

// How long to wait before the next attempt: twice as long each time, up to a bound, less a random
// part of up to a half, so that many nodes which lost the same server don't return as one.
//
// Threading: confined to the scheduler's thread.
class Backoff {
 public:
  explicit Backoff(Scheduler& scheduler, BackoffOptions options = {});

  // Of the attempt that comes now.
  Duration Next();
  // The attempt was a success: the next wait is short again.
  void Reset() { base_ = options_.first; }

 private:
  Scheduler& scheduler_;
  const BackoffOptions options_;
  Duration base_;
};

}  // namespace minichat
