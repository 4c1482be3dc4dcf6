#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "loadtest/experiments/transports/samples.h"
#include "loadtest/experiments/transports/stretch.h"
#include "server/base/status.h"

namespace minichat::transports {

// How long the store takes for each query: not at all, so that only the transport counts, and as
// long as a database one network hop away.
inline constexpr std::chrono::microseconds kNoStore{0};
inline constexpr std::chrono::microseconds kSomeStore{1'000};
// Messages under way at once in the relay's part.
inline constexpr std::size_t kOneInFlight = 1;
inline constexpr std::size_t kManyInFlight = 8;

struct Plan {
  std::size_t rounds = 5;
  Times times{std::chrono::milliseconds(300), std::chrono::milliseconds(2'000)};
  bool steps = true;
  bool relays = true;
};

Plan FullPlan();
Plan QuickPlan();

// Measures all conditions in each round, forwards in one and backwards in the next, so that a drift
// of the machine falls on all of them. `progress` is told what begins.
Result<Measurements> RunPlan(const Plan& plan,
                             const std::function<void(const std::string&)>& progress);

}  // namespace minichat::transports
