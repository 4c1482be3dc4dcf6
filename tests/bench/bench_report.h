#pragma once

#include <string>
#include <vector>

#include "tests/bench/group_run.h"

namespace minichat::bench {

// The results as a table for people, and as JSON with every sample.
std::string ToTable(const std::vector<GroupResult>& results);
std::string ToJson(const std::vector<GroupResult>& results);

}  // namespace minichat::bench
