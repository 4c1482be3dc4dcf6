#include "loadtest/load_program/option_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <arpa/inet.h>

namespace minichat::loadtest {
namespace {

constexpr double kMaxRate = 1e6;
constexpr double kDayMs = 24 * 3.6e6;
// The longest cid, "LABEL-runN-NUMBER", stays within the 64 characters that nodes take.
constexpr std::size_t kMaxLabel = 40;

// All of the text is one number.
template <class T>
bool ReadAll(std::string_view text, T* number) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return ec == std::errc() && end == text.data() + text.size();
}

bool IsIpv4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

}  // namespace

Result<std::size_t> ReadCount(const std::string& text, CountBounds bounds) {
  std::size_t count = 0;
  if (ReadAll(text, &count) && count >= bounds.least && count <= bounds.most) return count;
  return InvalidArgument("\"" + text + "\" is no whole number from " +
                         std::to_string(bounds.least) + " to " + std::to_string(bounds.most));
}

Result<double> ReadRate(const std::string& text) {
  double rate = 0;
  if (ReadAll(text, &rate) && std::isfinite(rate) && rate > 0 && rate <= kMaxRate) return rate;
  return InvalidArgument("\"" + text +
                         "\" is no number of messages a second above 0, at most 1000000");
}

Result<std::chrono::milliseconds> ReadDuration(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}}};
  const std::size_t unit_at = text.find_first_not_of("0123456789.");
  const std::string_view unit =
      unit_at == std::string::npos ? std::string_view() : std::string_view(text).substr(unit_at);
  const auto* known = std::find_if(kUnits.begin(), kUnits.end(),
                                   [&](const auto& entry) { return entry.first == unit; });
  double number = 0;
  if (known != kUnits.end() && ReadAll(std::string_view(text).substr(0, unit_at), &number)) {
    const double ms = number * known->second;
    if (ms <= kDayMs) return std::chrono::milliseconds(std::llround(ms));
  }
  return InvalidArgument("\"" + text +
                         "\" is no duration up to a day such as 500ms, 120s, 2m or 1h");
}

Result<Endpoint> ReadAddress(const std::string& text) {
  Result<Endpoint> endpoint = ParseEndpoint(text);
  if (endpoint.ok() && endpoint->port != 0 && IsIpv4(endpoint->host)) return endpoint;
  return InvalidArgument("\"" + text + "\" is no IPv4 address and port such as 127.0.0.1:8081");
}

Result<Endpoint> ReadLoopbackAddress(const std::string& text) {
  const Result<Endpoint> endpoint = ParseEndpoint(text);
  if (endpoint.ok() && IsIpv4(endpoint->host) && endpoint->host.starts_with("127.")) {
    return endpoint;
  }
  return InvalidArgument("\"" + text + "\" is no loopback address and port such as 127.0.0.1:9201");
}

Result<std::string> ReadLabel(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (plain && !text.empty() && text.size() <= kMaxLabel) return text;
  return InvalidArgument("\"" + text + "\" is not 1 to 40 letters, digits and -");
}

}  // namespace minichat::loadtest
