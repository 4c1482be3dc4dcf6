#pragma once

#include <string>
#include <vector>

#include "loadtest/experiments/slow_downstream/chain_run.h"
#include "loadtest/report/report_document.h"

namespace minichat::lab {

// What all runs together showed, beside the original's figures, with the checks. Times of start and
// end are the caller's to fill in.
report::ReportDocument ReportOf(const ChainPlan& plan, const std::vector<ChainResult>& results);

// Every call and every journal entry, as JSON.
std::string RawDataOf(const std::vector<ChainResult>& results);

}  // namespace minichat::lab
