#pragma once

#include <string>
#include <vector>

#include "loadtest/experiments/hot_spots/spot.h"
#include "loadtest/report/report_document.h"

namespace minichat::lab {

// What all spots showed. Times of start and end are the caller's to fill in.
report::ReportDocument ReportOf(const std::vector<SpotResult>& results);

std::string RawDataOf(const std::vector<SpotResult>& results);

}  // namespace minichat::lab
