#include "relay/relay_mode.h"

#include "server/base/check.h"

namespace minichat::relay {

std::string_view ToString(RelayMode mode) {
  switch (mode) {
    case RelayMode::kBulk:
      return "bulk";
    case RelayMode::kSingle:
      return "single";
    case RelayMode::kStream:
      return "stream";
  }
  CHECK(false);  // not one of the enumerators
  return {};
}

std::optional<RelayMode> ParseRelayMode(std::string_view text) {
  for (const RelayMode mode : kRelayModes) {
    if (text == ToString(mode)) return mode;
  }
  return std::nullopt;
}

}  // namespace minichat::relay
