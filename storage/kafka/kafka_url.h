#pragma once

#include <string>
#include <string_view>

#include "server/base/status.h"

namespace minichat::kafka {

// "kafka://host:port[,host:port]" → "host:port,host:port".
Result<std::string> ParseKafkaUrl(std::string_view url);

}  // namespace minichat::kafka
