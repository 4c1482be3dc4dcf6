#pragma once

#include <cstddef>
#include <string>

namespace minichat::transports {

// Numbers in sentences: "3.1", "12", "1,234".
std::string Rounded(double value);
// A count, with all its digits: "0", "12", "1,234".
std::string Whole(double count);
// "2.7 times"
std::string Factor(double ratio);
// A share as "87 %".
std::string Percent(double share);
// "1 worker", "2 workers"
std::string Counted(std::size_t count, const std::string& noun);

}  // namespace minichat::transports
