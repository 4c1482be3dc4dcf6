#include "loadtest/experiments/transports/words.h"

#include <cmath>
#include <cstdio>

namespace minichat::transports {

std::string Rounded(double value) {
  if (!std::isfinite(value)) return "unknown";
  const double size = std::abs(value);
  if (size >= 10) return Whole(value);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", size < 1 ? 2 : 1, value);
  return text;
}

std::string Whole(double count) {
  if (!std::isfinite(count)) return "unknown";
  std::string digits = std::to_string(std::llround(count));
  const std::ptrdiff_t sign = count < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > sign; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string Factor(double ratio) {
  return Rounded(ratio) + " times";
}

std::string Percent(double share) {
  return std::isfinite(share) ? std::to_string(std::lround(share * 100)) + " %" : "unknown";
}

std::string Counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace minichat::transports
