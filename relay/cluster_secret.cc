#include "relay/cluster_secret.h"

#include <algorithm>

namespace minichat::relay {

Status CheckClusterSecret(std::string_view secret) {
  if (secret.empty()) return InvalidArgument("cluster.secret: empty; nodes need one to relay");
  const bool fit =
      std::all_of(secret.begin(), secret.end(), [](char c) { return c > 32 && c < 127; });
  if (!fit) return InvalidArgument("cluster.secret: only visible ASCII without spaces");
  return {};
}

bool SameSecret(std::string_view expected, std::string_view given) {
  if (expected.empty()) return false;
  unsigned difference = expected.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto a = static_cast<unsigned char>(expected[i % expected.size()]);
    const auto b = static_cast<unsigned char>(given[i]);
    difference |= static_cast<unsigned>(a ^ b);
  }
  return difference == 0;
}

}  // namespace minichat::relay
