#pragma once

#include <string>
#include <vector>

#include "loadtest/experiments/chain/hop_server.h"
#include "server/base/status.h"

namespace minichat::lab {

// The options of a service as arguments of its program, and back.
std::vector<std::string> ToFlags(const HopOptions& options);
Result<HopOptions> ParseHopFlags(const std::vector<std::string>& flags);

}  // namespace minichat::lab
