#pragma once

#include <string>
#include <vector>

#include "loadtest/experiments/overload/pool_run.h"
#include "loadtest/report/report_document.h"

namespace minichat::lab {

// Adds what the pools showed: one section, the checks and the findings. `results` hold each of the
// conditions that was run, by its name.
void AddPools(const std::vector<PoolResult>& results, bool quick, report::ReportDocument* document);

std::string RawDataOf(const std::vector<PoolResult>& results);

}  // namespace minichat::lab
