#pragma once

#include <chrono>
#include <cstddef>

#include "loadtest/experiments/transports/figures.h"
#include "loadtest/experiments/transports/relay_way.h"
#include "loadtest/experiments/transports/step.h"
#include "loadtest/experiments/transports/stretch.h"
#include "server/base/status.h"

namespace minichat::transports {

// One measurement: starts both sides as new processes, waits for their figures, and ends them. What
// both told is in one: counts of the whole run, rates and CPU (in cores) of the measured stretch.
//
// Errors: a side that failed or was not heard of in time.
Result<Figures> MeasureStep(const Step& step, std::chrono::microseconds store_time,
                            const Times& times);
Result<Figures> MeasureRelay(const RelayWay& way, std::size_t in_flight, const Times& times);

}  // namespace minichat::transports
