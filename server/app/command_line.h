#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/app/option_table.h"
#include "server/base/status.h"

namespace minichat::app {

// `minichat COMMAND [--config FILE] [--ports-file FILE] [--KEY VALUE | --KEY=VALUE]…`
struct CommandLine {
  std::string command;      // "help" when none is given
  std::string config_file;  // --config
  std::string ports_file;   // --ports-file
  std::vector<std::pair<std::string, std::string>> flags;
};

// InvalidArgument names the argument that is wrong. Values are checked later, by LoadConfig().
Result<CommandLine> ParseCommandLine(const OptionTable& table,
                                     const std::vector<std::string>& arguments);

}  // namespace minichat::app
