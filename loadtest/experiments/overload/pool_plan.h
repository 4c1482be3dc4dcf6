#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "loadtest/experiments/chain/hop_server.h"

namespace minichat::lab {

// One way to serve more than there are workers for.
struct PoolCondition {
  std::string name;
  HopOptions service;
  std::size_t requests = 100;
  std::size_t at_once = 20;          // callers; each sends its next request when it has its answer
  double least_possible_ms() const;  // with every worker busy all the time, all being accepted
};

// Ten workers, work of one second.
PoolCondition SyncCondition(bool quick);
// Two workers, places for ten, work of three seconds: reject, caller_runs, and a queue without an
// end.
PoolCondition RejectCondition(bool quick);
PoolCondition CallerRunsCondition(bool quick);
PoolCondition UnboundedCondition(bool quick);

}  // namespace minichat::lab
