#pragma once

#include "loadtest/load_program/load_command.h"
#include "loadtest/load_program/load_exit.h"

namespace minichat::loadtest {

// Carries out one run: connects, sends, waits for what is missing, reports.
//
// Threading: blocks until the run is over or was stopped by signals.
LoadExit RunLoad(const LoadCommand& command);

}  // namespace minichat::loadtest
