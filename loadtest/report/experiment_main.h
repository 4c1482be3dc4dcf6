#pragma once

#include <functional>
#include <string>
#include <vector>

#include "loadtest/report/experiment_options.h"
#include "loadtest/report/report_document.h"

namespace minichat::report {

using Experiment = std::function<Result<ReportDocument>(const ExperimentOptions&)>;

// The main function of an experiment: reads the options, runs it, writes report.json and prints the
// checks and findings. Exit code 0: every check holds; 1: one does not, or the run is void; 2: it
// could not be run.
int ExperimentMain(const std::vector<std::string>& args, const std::string& about,
                   const std::vector<std::string>& parts, const Experiment& experiment);

}  // namespace minichat::report
