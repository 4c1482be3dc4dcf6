#include "ws/origin.h"

#include <algorithm>

namespace minichat::ws {
namespace {

char ToLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLower(x) == ToLower(y); });
}

}  // namespace

bool OriginMayConnect(std::string_view origin, std::string_view host,
                      const std::vector<std::string>& allowed) {
  if (allowed.empty()) {
    const std::size_t scheme_end = origin.find("://");
    return scheme_end != std::string_view::npos && !host.empty() &&
           SameName(origin.substr(scheme_end + 3), host);
  }
  return std::any_of(allowed.begin(), allowed.end(), [origin](const std::string& one) {
    return one == "*" || SameName(one, origin);
  });
}

}  // namespace minichat::ws
