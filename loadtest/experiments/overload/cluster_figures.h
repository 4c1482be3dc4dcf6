#pragma once

#include "loadtest/experiments/overload/cluster_run.h"

namespace minichat::lab {

// What is made of the seconds of a run. Not a number: there were none.

// The most that the nodes held in the middle third of the overload, and in its last third.
struct MemoryGrowth {
  double middle_mib = 0;
  double last_mib = 0;
};
MemoryGrowth MemoryOf(const ClusterResult& result);

// From the end of the overload's sending until two seconds in a row are good: at most one in a
// hundred is refused (a busy machine's hiccup fills a tight bound), and the p95 is below `p95_ms`.
double RecoverySeconds(const ClusterResult& result, double p95_ms);

// Answers that say something else than that there is too much.
std::uint64_t UnclearErrors(const ClusterPhase& phase);
std::uint64_t Refused(const ClusterPhase& phase);

}  // namespace minichat::lab
