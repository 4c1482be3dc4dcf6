#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minichat::core {

// Does `text` match `pattern`, in which each `*` stands for any number of characters?
bool MatchesPattern(std::string_view pattern, std::string_view text);

bool MatchesAny(const std::vector<std::string>& patterns, std::string_view text);

}  // namespace minichat::core
