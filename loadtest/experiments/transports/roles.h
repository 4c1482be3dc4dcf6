#pragma once

#include <string>
#include <vector>

namespace minichat::transports {

// The processes of a measurement. Each gets its role as "--role NAME" and further pairs, tells what
// it has to tell as lines of JSON on its standard output (Figures), and ends: one that serves when
// its standard input ends, one that calls when it has measured.
//
//   stock           --step S --store-us N
//   caller          --step S --port P --peer PID --warm-up-ms N --measured-ms N
//   relay-receiver  --way W
//   relay-sender    --way W --in-flight N --port P --peer PID --warm-up-ms N --measured-ms N
inline constexpr char kRoleOption[] = "--role";

// The program's exit code.
int RunRole(const std::vector<std::string>& args);

}  // namespace minichat::transports
