#include "relay/relay_mode.h"

namespace minichat::relay {

std::string_view ToString(RelayMode mode) {
  return mode == RelayMode::kSingle ? "single" : "bulk";
}

std::optional<RelayMode> ParseRelayMode(std::string_view text) {
  for (const RelayMode mode : kRelayModes) {
    if (text == ToString(mode)) return mode;
  }
  return std::nullopt;
}

}  // namespace minichat::relay
