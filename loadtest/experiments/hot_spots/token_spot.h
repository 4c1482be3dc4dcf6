#pragma once

#include "loadtest/experiments/hot_spots/spot.h"

namespace minichat::lab {

// A client's token, verified with each message or once for its connection, by the product's own
// verifier.
Result<SpotResult> MeasureToken(const SpotPlan& plan);

}  // namespace minichat::lab
