#pragma once

#include "server/app/app_config.h"
#include "server/app/command_line.h"
#include "server/base/status.h"

namespace minichat::app {

// `minichat token`: prints one token that nodes of this configuration take. Fails when they would
// not take it, with the reason that they would give.
Status PrintToken(const AppConfig& config, const CommandLine& line);

}  // namespace minichat::app
