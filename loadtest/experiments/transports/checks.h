#pragma once

#include <vector>

#include "loadtest/experiments/transports/samples.h"
#include "loadtest/report/report_document.h"

namespace minichat::transports {

// What must hold in every run, counted exactly, and the few ratios that no noise of a machine can
// turn around. Parts that were not measured are not checked.
std::vector<report::Check> CheckSteps(const Measurements& all);
std::vector<report::Check> CheckRelays(const Measurements& all);
// What disturbed the run; only a finding.
report::Check CheckMachine(const Measurements& all);

}  // namespace minichat::transports
