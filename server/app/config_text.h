#pragma once

#include <string>

#include "server/app/app_config.h"
#include "server/app/option_table.h"

namespace minichat::app {

// docs/configuration.md, written from the table alone.
std::string ConfigDocument(const OptionTable& table);
// The effective configuration as a YAML file; secrets and passwords are shown as ***.
std::string PrintConfig(const OptionTable& table, const AppConfig& config);

}  // namespace minichat::app
