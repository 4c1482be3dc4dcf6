#pragma once

#include <map>
#include <string>
#include <string_view>

namespace minichat::ws {

// Splits a request target into path and query, both decoded. False when an escape is broken or the
// result is not UTF-8 without NUL.
bool ParseTarget(std::string_view target, std::string* path,
                 std::map<std::string, std::string>* query);

}  // namespace minichat::ws
