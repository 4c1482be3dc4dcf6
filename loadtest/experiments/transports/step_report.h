#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "loadtest/experiments/transports/samples.h"
#include "loadtest/report/report_document.h"

namespace minichat::transports {

// What the report tells of the takes, by step. The steps must have been measured.
report::Section StepSection(const Measurements& all, std::chrono::microseconds store_time);
std::vector<std::string> StepFindings(const Measurements& all);

}  // namespace minichat::transports
