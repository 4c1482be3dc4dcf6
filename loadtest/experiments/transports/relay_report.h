#pragma once

#include <string>
#include <vector>

#include "loadtest/experiments/transports/samples.h"
#include "loadtest/report/report_document.h"

namespace minichat::transports {

// What the report tells of the relay, by way. The ways must have been measured.
report::Section RelaySection(const Measurements& all);
std::vector<std::string> RelayFindings(const Measurements& all);

}  // namespace minichat::transports
