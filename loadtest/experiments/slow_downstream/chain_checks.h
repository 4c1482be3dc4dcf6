#pragma once

#include <vector>

#include "loadtest/experiments/slow_downstream/chain_figures.h"
#include "loadtest/report/report_document.h"

namespace minichat::lab {

// What must hold of each condition. Bounds come from the plan; those of a quick run are scaled.
std::vector<report::Check> ChecksOf(const ChainPlan& plan, const std::vector<ChainResult>& results);

}  // namespace minichat::lab
