#pragma once

#include <string>

#include "server/app/config_loader.h"

namespace minichat::app {

// `minichat serve`: runs a node until SIGTERM or SIGINT. SIGHUP reads `sources` again. An empty
// `ports_file` is not written.
Status Serve(const OptionTable& table, const ConfigSources& sources, const LoadedConfig& loaded,
             const std::string& ports_file);

}  // namespace minichat::app
