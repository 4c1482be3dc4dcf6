#pragma once

#include <map>
#include <string>
#include <string_view>

#include "server/base/status.h"

namespace minichat::ws {

// Splits a request target into path and query, both decoded. Errors: InvalidArgument when an escape
// is broken, the result is not UTF-8 without NUL, or a name of the query stands there twice.
Status ParseTarget(std::string_view target, std::string* path,
                   std::map<std::string, std::string>* query);

}  // namespace minichat::ws
