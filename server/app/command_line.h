#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/app/option_table.h"
#include "server/base/status.h"

namespace minichat::app {

// `minichat COMMAND [--config FILE] [--OWN VALUE]… [--KEY VALUE | --KEY=VALUE]…`, where OWN is a
// flag of the command itself.
struct CommandLine {
  std::string command;                     // "help" when none is given
  std::string config_file;                 // --config
  std::map<std::string, std::string> own;  // "ports-file" of serve; "user", "ttl", … of token
  std::vector<std::pair<std::string, std::string>> flags;

  // The value of a flag of the command's own; empty when it isn't there.
  std::string Own(const std::string& name) const;
};

// InvalidArgument names the argument that is wrong. Values are checked later, by LoadConfig().
Result<CommandLine> ParseCommandLine(const OptionTable& table,
                                     const std::vector<std::string>& arguments);

}  // namespace minichat::app
