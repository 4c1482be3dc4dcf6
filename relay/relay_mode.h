#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace minichat::relay {

// How many calls one event for one node makes.
enum class RelayMode {
  kBulk,    // one, with all recipients (in chunks)
  kSingle,  // one per recipient
};

inline constexpr std::array kRelayModes = {RelayMode::kBulk, RelayMode::kSingle};

// "bulk", "single"
std::string_view ToString(RelayMode mode);
// None when it is neither.
std::optional<RelayMode> ParseRelayMode(std::string_view text);

}  // namespace minichat::relay
