#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace minichat::relay {

// How one event for one node travels.
enum class RelayMode {
  kBulk,    // one call, with all recipients (in chunks)
  kSingle,  // one call per recipient
  kStream,  // chunks as in bulk, as items of one long-lived stream
};

inline constexpr std::array kRelayModes = {RelayMode::kBulk, RelayMode::kSingle,
                                           RelayMode::kStream};

// "bulk", "single", "stream"
std::string_view ToString(RelayMode mode);
// None when it is none of them.
std::optional<RelayMode> ParseRelayMode(std::string_view text);

}  // namespace minichat::relay
