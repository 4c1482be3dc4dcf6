#pragma once

#include <filesystem>
#include <vector>

#include "loadtest/experiments/chain/call_gatherer.h"
#include "loadtest/experiments/overload/pool_plan.h"
#include "server/base/status.h"

namespace minichat::lab {

struct PoolResult {
  PoolCondition condition;
  std::vector<CallResult> requests;
  double seconds = 0;  // from the first request to the last answer
  // Meanwhile, questions to the service that need no worker.
  std::vector<CallResult> questions;

  // Times in milliseconds.
  std::vector<double> Took(int code) const;
  std::vector<double> TookAll() const;
};

// Starts the service and puts the condition's load on it: a closed model, as a pool of callers is.
Result<PoolResult> RunPool(const PoolCondition& condition, const std::filesystem::path& dir);

}  // namespace minichat::lab
