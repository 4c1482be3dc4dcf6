#pragma once

#include <string>

#include "loadtest/experiments/overload/breaker_run.h"
#include "loadtest/report/report_document.h"

namespace minichat::lab {

// Adds what the breaker showed: one section, the checks and the findings.
void AddBreaker(const BreakerPlan& plan, const BreakerResult& result,
                report::ReportDocument* document);

std::string RawDataOf(const BreakerResult& result);

}  // namespace minichat::lab
