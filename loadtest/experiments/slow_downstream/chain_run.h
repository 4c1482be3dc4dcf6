#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "loadtest/experiments/chain/hop_client.h"
#include "loadtest/experiments/slow_downstream/chain_plan.h"
#include "server/base/status.h"

namespace minichat::lab {

// What one run of one condition showed.
struct ChainResult {
  Condition condition = Condition::kNoDeadline;
  std::size_t round = 0;
  std::vector<CallResult> idle_pings;  // before the orders
  std::vector<CallResult> orders;      // as their caller saw them
  std::vector<CallResult> pings;       // beside the orders
  // As each service saw the orders, until the last of them had ended there.
  std::vector<HopRecord> a = {};
  std::vector<HopRecord> b = {};
  std::vector<HopRecord> c = {};
};

// Starts the three services, sends the orders and the Pings, and waits until the last service has
// nothing more to do: also for work that nobody waits for. Logs go to a folder under `dir`.
//
// Errors: says what didn't start, didn't end in time, or could not be reached.
Result<ChainResult> RunChain(const ChainPlan& plan, Condition condition, std::size_t round,
                             const std::filesystem::path& dir);

}  // namespace minichat::lab
