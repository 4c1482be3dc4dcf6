#include "loadtest/experiments/transports/words.h"

#include <cmath>
#include <cstdio>

namespace minichat::transports {

std::string Rounded(double value) {
  if (!std::isfinite(value)) return "unknown";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f",
                std::abs(value) < 1    ? 2
                : std::abs(value) < 10 ? 1
                                       : 0,
                value);
  std::string digits = text;
  if (digits.find('.') != std::string::npos) return digits;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0);
       at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string Percent(double share) {
  return std::isfinite(share) ? std::to_string(std::lround(share * 100)) + " %" : "unknown";
}

std::string Counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace minichat::transports
