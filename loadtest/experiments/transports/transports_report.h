#pragma once

#include "loadtest/experiments/transports/experiment.h"
#include "loadtest/experiments/transports/samples.h"
#include "loadtest/report/report_document.h"

namespace minichat::transports {

// The report of what was measured: tables, plots, checks, and what follows in words. Without times
// of start and end.
report::ReportDocument MakeReport(const Measurements& all, const Plan& plan);

// Every figure of every run.
std::string RawData(const Measurements& all);

}  // namespace minichat::transports
