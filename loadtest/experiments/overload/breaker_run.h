#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "server/base/breaker.h"
#include "server/base/status.h"

namespace minichat::lab {

struct BreakerPlan {
  BreakerOptions breaker;                 // the relay's own
  std::chrono::milliseconds work{1'000};  // of each order that fills the service
  std::size_t orders = 12;                // all that two workers and ten places can hold
  std::chrono::milliseconds burst_every{50};
  std::size_t burst = 10;  // calls at once: more than there are probes
  std::chrono::milliseconds call_limit{200};
  std::size_t bursts_after = 20;  // once the breaker has closed again

  static BreakerPlan Full() { return {}; }
  static BreakerPlan Quick();
};

// One call through the breaker.
struct BreakerCall {
  double at_ms = 0;
  Breaker::State state = Breaker::State::kClosed;  // when it was admitted or refused
  bool admitted = false;
  double decision_us = 0;  // what the breaker took to say so
  int code = -1;           // of an admitted call; -1 while it has none
};

struct BreakerChange {
  double at_ms = 0;
  Breaker::State state = Breaker::State::kClosed;
  std::size_t admitted = 0;  // calls while it was in this state
};

struct BreakerResult {
  std::vector<BreakerCall> calls;
  std::vector<BreakerChange> changes;  // the first one: closed, at the start
  std::optional<double> free_at_ms;    // the service had worked off what filled it
  std::optional<double> closed_at_ms;  // for good
};

// Fills a service of two workers and ten places, calls it in bursts through a breaker, and goes on
// until the breaker has closed again and let calls through.
Result<BreakerResult> RunBreaker(const BreakerPlan& plan, const std::filesystem::path& dir);

}  // namespace minichat::lab
