#pragma once

#include "loadtest/experiments/hot_spots/spot.h"

namespace minichat::lab {

// Which nodes hold the 150 recipients of a message: asked from a real Redis one by one, pipelined
// and by one command, and from routes that are kept by version.
Result<SpotResult> MeasureLookup(const SpotPlan& plan);

}  // namespace minichat::lab
