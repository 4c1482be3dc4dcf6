#include "loadtest/experiments/chain/hop_budget.h"

#include <algorithm>

namespace minichat::lab {
namespace {

// Nobody gives a call a year: what is further away is gRPC's "no deadline", or how it comes out of
// a conversion between clocks.
constexpr std::chrono::hours kForEver{24 * 365};

}  // namespace

HopBudget HopBudget::Of(std::chrono::system_clock::time_point grpc_deadline,
                        std::chrono::system_clock::time_point wall_now, TimePoint now) {
  if (grpc_deadline > wall_now + kForEver) return HopBudget(std::nullopt);
  return HopBudget(Deadline::At(now + (grpc_deadline - wall_now)));
}

std::optional<Duration> HopBudget::Remaining(TimePoint now) const {
  if (unlimited()) return std::nullopt;
  return deadline_->Remaining(now);
}

std::optional<Duration> HopBudget::ForNextHop(TimePoint now, Duration margin) const {
  if (unlimited()) return std::nullopt;
  return std::max(Duration::zero(), deadline_->Remaining(now) - margin);
}

}  // namespace minichat::lab
