#pragma once

#include <vector>

#include "loadtest/experiments/hot_spots/spot.h"

namespace minichat::lab {

// On a real Postgres with the product's schema: rows inserted one by one, in a batch and by the
// product's own statement; a page of history read by N+1 queries and by the product's own one.
Result<std::vector<SpotResult>> MeasurePostgres(const SpotPlan& plan);

}  // namespace minichat::lab
