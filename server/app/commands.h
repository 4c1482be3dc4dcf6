#pragma once

#include <map>
#include <string>
#include <vector>

namespace minichat::app {

// Runs what the command line asks for and answers the process's exit code: 0, 1 when it failed, 2
// when the command line or the configuration is wrong (one line on standard error says why).
int RunCommand(const std::vector<std::string>& arguments,
               const std::map<std::string, std::string>& environment);

}  // namespace minichat::app
