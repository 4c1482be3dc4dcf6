#include "loadtest/experiments/transports/relay_way.h"

#include <charconv>

namespace minichat::transports {
namespace {

constexpr std::string_view kPrefix = "session-0000";
constexpr std::size_t kDigits = 3;

}  // namespace

const std::vector<RelayWay>& AllRelayWays() {
  static const std::vector<RelayWay> kWays = {
      {"http", "HTTP, a post per recipient", std::nullopt},
      {"single", "gRPC single", relay::RelayMode::kSingle},
      {"bulk", "gRPC bulk", relay::RelayMode::kBulk},
      {"stream", "gRPC stream", relay::RelayMode::kStream},
  };
  return kWays;
}

const RelayWay* FindRelayWay(std::string_view name) {
  for (const RelayWay& way : AllRelayWays()) {
    if (way.name == name) return &way;
  }
  return nullptr;
}

std::string SessionName(std::size_t recipient) {
  std::string digits = std::to_string(recipient);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return std::string(kPrefix) + digits;
}

std::optional<std::size_t> RecipientOf(std::string_view session) {
  if (session.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  session.remove_prefix(kPrefix.size());
  std::size_t recipient = 0;
  const auto [end, error] =
      std::from_chars(session.data(), session.data() + session.size(), recipient);
  if (error != std::errc{} || end != session.data() + session.size()) return std::nullopt;
  return recipient;
}

}  // namespace minichat::transports
