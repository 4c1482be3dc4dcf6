#pragma once

#include "loadtest/load_program/load_command.h"

namespace minichat::loadtest {

// The exit codes of minichat-load.
enum class LoadExit { kExact = 0, kBroken = 1, kUsage = 2, kNoConnection = 3 };

// Carries out one run: connects, sends, waits for what is missing, reports.
//
// Threading: blocks until the run is over or was stopped by signals.
LoadExit RunLoad(LoadCommand command);

}  // namespace minichat::loadtest
