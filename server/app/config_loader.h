#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/app/app_config.h"
#include "server/app/option_table.h"
#include "server/base/status.h"

namespace minichat::app {

// Where values come from besides the defaults, weakest first.
struct ConfigSources {
  std::string file;                                        // path of a YAML file; empty: none
  std::map<std::string, std::string> environment;          // the process's, all of it
  std::vector<std::pair<std::string, std::string>> flags;  // key and value, in their order
};

struct LoadedConfig {
  AppConfig config;
  std::vector<std::string> warnings;  // for the log
};

// Reads all sources, checks every value and the rules between them (config_rules.h).
//
// Errors: InvalidArgument with one line: where (file:line, variable or flag), which key, what is
//         wrong and what is allowed.
Result<LoadedConfig> LoadConfig(const OptionTable& table, const ConfigSources& sources);

}  // namespace minichat::app
