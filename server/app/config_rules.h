#pragma once

#include "server/app/app_config.h"
#include "server/base/status.h"

namespace minichat::app {

// What one key says must fit the others: no open doors off loopback, no cluster whose nodes can't
// find each other. InvalidArgument names both keys.
Status CheckRules(const AppConfig& config);

}  // namespace minichat::app
