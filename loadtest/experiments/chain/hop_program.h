#pragma once

#include <optional>
#include <string>
#include <vector>

namespace minichat::lab {

// The first argument of a program that is to be a service rather than an experiment.
inline constexpr const char* kHopRole = "--hop";

// Serves until SIGTERM. `arguments`: a file for the port, then the flags of hop_flags.h. The
// program's exit code.
int RunHop(const std::vector<std::string>& arguments);

// As RunHop(), when the program was started as a service; nothing when it wasn't.
std::optional<int> RunHopIfAsked(int argc, char** argv);

}  // namespace minichat::lab
