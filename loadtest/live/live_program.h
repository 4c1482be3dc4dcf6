#pragma once

#include "loadtest/load_program/load_command.h"
#include "loadtest/load_program/load_exit.h"

namespace minichat::loadtest {

// Live load: goes on until a signal ends it, steered through the control port.
//
// Threading: blocks. The generator runs on the caller's thread, the control port and the watch of
//            the cluster on one of their own each.
LoadExit RunLive(const LoadCommand& command);

}  // namespace minichat::loadtest
