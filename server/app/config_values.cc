#include "server/app/config_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include <arpa/inet.h>

namespace minichat::app {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first, so that printing picks the largest that divides the value.
constexpr std::array<Unit, 4> kDurations = {
    {{"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}}};
constexpr std::array<Unit, 3> kSizes = {{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}};

std::string_view Trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The leading digits of `text`, which keeps what follows them.
std::optional<std::uint64_t> TakeNumber(std::string_view* text) {
  std::uint64_t number = 0;
  const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (ec != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return number;
}

template <std::size_t kCount>
std::optional<std::uint64_t> Scale(std::uint64_t number, std::string_view unit,
                                   const std::array<Unit, kCount>& units, std::uint64_t max) {
  for (const Unit& known : units) {
    if (known.name != unit) continue;
    if (number > max / known.factor) return std::nullopt;
    return number * known.factor;
  }
  return std::nullopt;
}

template <std::size_t kCount>
std::string Print(std::uint64_t value, const std::array<Unit, kCount>& units,
                  std::string_view smallest) {
  for (const Unit& unit : units) {
    if (value != 0 && value % unit.factor == 0) {
      return std::to_string(value / unit.factor) + std::string(unit.name);
    }
  }
  return std::to_string(value) + std::string(smallest);
}

// Where the hosts of `url` begin: behind "scheme://" and "user:password@". The password's own "@",
// "/" and "?" should be escaped; when they are not, it is still taken for one, so that it is
// hidden.
std::size_t HostsBegin(std::string_view url, std::size_t authority) {
  auto at = url.substr(0, url.find_first_of("/?", authority)).rfind('@');
  if (at == std::string_view::npos) at = url.rfind('@');
  return at == std::string_view::npos || at < authority ? authority : at + 1;
}

// Begin and length of the password in `url`, before the hosts or in the query; length 0 when there
// is none.
std::pair<std::size_t, std::size_t> FindPassword(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return {0, 0};
  const std::size_t begin = scheme + 3;
  const std::size_t hosts = HostsBegin(url, begin);
  const auto colon = url.find(':', begin);
  if (hosts > begin && colon < hosts) return {colon + 1, hosts - colon - 2};
  constexpr std::string_view kParameter = "password=";
  for (auto at = url.find(kParameter); at != std::string_view::npos;
       at = url.find(kParameter, at + 1)) {
    const std::size_t value = at + kParameter.size();
    if (url[at - 1] == '?' || url[at - 1] == '&') return {value, url.substr(value).find('&')};
  }
  return {0, 0};
}

// "host" or "host:port", "[v6]" or "[v6]:port".
bool IsHost(std::string_view text, bool needs_port) {
  std::string whole(text);
  const bool no_port = text.find(':') == std::string_view::npos || text.ends_with(']');
  if (no_port && needs_port) return false;
  if (no_port) whole += ":1";
  const auto address = ParseAddress(whole);
  return address && address->port != 0;
}

}  // namespace

std::optional<Duration> ParseDuration(std::string_view text) {
  text = Trim(text);
  const auto number = TakeNumber(&text);
  if (!number) return std::nullopt;
  const auto nanos = Scale(*number, text, kDurations, std::numeric_limits<std::int64_t>::max());
  if (!nanos) return std::nullopt;
  return Duration(static_cast<std::int64_t>(*nanos));
}

std::string PrintDuration(Duration value) {
  const auto nanos = static_cast<std::uint64_t>(value.count());
  return nanos == 0 ? "0s" : Print(nanos, kDurations, "ns");
}

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  text = Trim(text);
  const auto number = TakeNumber(&text);
  if (!number || text.empty()) return number;
  return Scale(*number, text, kSizes, std::numeric_limits<std::uint64_t>::max());
}

std::string PrintBytes(std::uint64_t value) {
  return Print(value, kSizes, "");
}

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  text = Trim(text);
  const auto number = TakeNumber(&text);
  return text.empty() ? number : std::nullopt;
}

std::optional<bool> ParseBool(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "no" || text == "off") return false;
  return std::nullopt;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view item = Trim(text.substr(0, comma));
    if (!item.empty()) items.emplace_back(item);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return items;
}

std::string JoinList(const std::vector<std::string>& items) {
  std::string joined;
  for (const std::string& item : items) {
    if (!joined.empty()) joined += ", ";
    joined += item;
  }
  return joined;
}

bool Address::loopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool Address::numeric() const {
  in6_addr binary;
  return ::inet_pton(AF_INET, host.c_str(), &binary) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &binary) == 1;
}

std::optional<Address> ParseAddress(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = ParseCount(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // an IPv6 address needs its brackets
  }
  if (host.empty() || !port || *port > 65'535) return std::nullopt;
  return Address{std::string(host), static_cast<std::uint16_t>(*port)};
}

std::string PrintAddress(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool InMemory(std::string_view url) {
  return url == "memory:";
}

bool IsGoodUrl(std::string_view url, UrlNeeds needs) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  std::string_view hosts = url.substr(HostsBegin(url, scheme + 3));
  const std::size_t end = std::min(hosts.find_first_of("/?"), hosts.size());
  const std::string_view path = hosts.substr(end);
  if (needs.numbered_path && path.size() > 1 && !ParseCount(path.substr(1))) return false;
  hosts = hosts.substr(0, end);
  for (auto comma = hosts.find(','); comma != std::string_view::npos; comma = hosts.find(',')) {
    if (!IsHost(hosts.substr(0, comma), needs.port)) return false;
    hosts.remove_prefix(comma + 1);
  }
  return IsHost(hosts, needs.port);
}

std::string_view PasswordOf(std::string_view url) {
  const auto [begin, length] = FindPassword(url);
  return url.substr(begin, length);
}

std::string RedactUrl(std::string_view url) {
  const auto [begin, length] = FindPassword(url);
  std::string redacted(url);
  if (length > 0) redacted.replace(begin, length, "***");
  return redacted;
}

}  // namespace minichat::app
