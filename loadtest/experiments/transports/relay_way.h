#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relay/relay_mode.h"

namespace minichat::transports {

// One way to relay a message to its recipients on another node.
struct RelayWay {
  std::string name;
  std::string title;
  std::optional<relay::RelayMode> mode;  // none: HTTP, a post for each recipient
};

const std::vector<RelayWay>& AllRelayWays();
// Null when there is none of that name.
const RelayWay* FindRelayWay(std::string_view name);

// The parties, as both sides know them.
inline constexpr char kPeer[] = "n2";
inline constexpr char kPeerIncarnation[] = "n2-1";
inline constexpr char kSecret[] = "transports-lab";
inline constexpr char kRelayPath[] = "/relay";

// Sessions have names of the length that real ones have.
std::string SessionName(std::size_t recipient);
// None when it is no such name.
std::optional<std::size_t> RecipientOf(std::string_view session);

}  // namespace minichat::transports
