#include "loadtest/experiments/overload/cluster_figures.h"

#include <algorithm>
#include <limits>

namespace minichat::lab {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double MostMemory(const ClusterResult& result, double from_s, double to_s) {
  double most = kNone;
  for (const ClusterSecond& second : result.seconds) {
    if (second.at_s < from_s || second.at_s > to_s) continue;
    most = most >= second.memory_mib ? most : second.memory_mib;
  }
  return most;
}

}  // namespace

MemoryGrowth MemoryOf(const ClusterResult& result) {
  const ClusterPhase& overload = result.Phase("overload");
  const double third = (overload.to_s - overload.from_s) / 3;
  return {MostMemory(result, overload.from_s + third, overload.from_s + 2 * third),
          MostMemory(result, overload.from_s + 2 * third, overload.to_s)};
}

double RecoverySeconds(const ClusterResult& result, double p95_ms) {
  const double fell = result.Phase("overload").to_s;
  const double until = result.Phase("after").to_s;
  double good_since = kNone;
  for (const ClusterSecond& second : result.seconds) {
    if (second.at_s <= fell || second.at_s > until + 1) continue;
    // A second without deliveries says nothing of how long they take.
    const bool good =
        second.refused * 100 <= second.sent && second.acked > 0 && second.p95_ms < p95_ms;
    if (good && good_since >= 0) return good_since;
    good_since = good ? std::max(0.0, second.at_s - 1 - fell) : kNone;
  }
  return kNone;
}

std::uint64_t UnclearErrors(const ClusterPhase& phase) {
  std::uint64_t unclear = 0;
  for (const auto& [code, count] : phase.errors) {
    if (code != "overloaded" && code != "rate_limited") unclear += count;
  }
  return unclear;
}

std::uint64_t Refused(const ClusterPhase& phase) {
  std::uint64_t refused = 0;
  for (const auto& [code, count] : phase.errors) refused += count;
  return refused;
}

}  // namespace minichat::lab
