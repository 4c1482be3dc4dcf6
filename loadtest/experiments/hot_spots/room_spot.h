#pragma once

#include "loadtest/experiments/hot_spots/spot.h"

namespace minichat::lab {

// All messages into one room, or spread over fifty, on three real nodes: as many at a time, the
// same number of recipients each.
Result<SpotResult> MeasureRooms(const SpotPlan& plan);

}  // namespace minichat::lab
