#pragma once

#include <string>

#include "loadtest/live/live_board.h"

namespace minichat::loadtest {

// What GET /v1/state answers; the fields are those of docs/lab/load.md.
std::string ToJson(const std::string& label, std::size_t max_members, const LiveView& view);

}  // namespace minichat::loadtest
