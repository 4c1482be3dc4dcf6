#pragma once

#include <chrono>
#include <functional>

#include <sys/types.h>

namespace minichat::transports {

// How long a measurement goes on.
struct Times {
  std::chrono::milliseconds warm_up{300};
  std::chrono::milliseconds measured{2'000};
};

// What was used in the measured stretch of time.
struct Usage {
  double seconds = 0;
  double own_cpu_seconds = 0;   // of this process
  double peer_cpu_seconds = 0;  // of the other side's
  double machine_busy = 0;      // share of all cores that was not idle, whoever used it
};

// Holds the calling thread for the warm-up and the measured stretch; `begin` and `end` are called
// at its ends. `peer` must live.
Usage MeasureStretch(const Times& times, pid_t peer, const std::function<void()>& begin,
                     const std::function<void()>& end);

}  // namespace minichat::transports
