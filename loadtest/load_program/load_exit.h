#pragma once

namespace minichat::loadtest {

// The exit codes of minichat-load.
enum class LoadExit { kExact = 0, kBroken = 1, kUsage = 2, kNoConnection = 3 };

}  // namespace minichat::loadtest
