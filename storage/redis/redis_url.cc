#include "storage/redis/redis_url.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace minichat::redis {
namespace {

constexpr std::string_view kScheme = "redis://";

template <class Number>
bool ParseNumber(std::string_view text, Number* number, int base = 10) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), *number, base);
  return ec == std::errc() && end == text.data() + text.size();
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned char byte = 0;
    if (i + 2 >= text.size() || !ParseNumber(text.substr(i + 1, 2), &byte, 16)) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

bool ParseUserInfo(std::string_view text, RedisAddress* address) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto user = PercentDecode(text.substr(0, colon));
  const auto password = PercentDecode(text.substr(colon + 1));
  if (!user || !password) return false;
  address->user = *user;
  address->password = *password;
  return true;
}

// "host", "host:port", "[v6]", "[v6]:port"
bool ParseHostPort(std::string_view text, RedisAddress* address) {
  std::string_view port;
  if (!text.empty() && text.front() == '[') {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    address->host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const auto colon = text.find(':');
    address->host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (address->host.empty()) return false;
  if (port.empty()) return true;
  return port.front() == ':' && ParseNumber(port.substr(1), &address->port) && address->port != 0;
}

Status Refusal(const std::string& what) {
  return InvalidArgument("redis url: " + what +
                         "; the form is redis://[[user]:password@]host[:port][/db]");
}

}  // namespace

std::string RedisAddress::ToText() const {
  return host + ":" + std::to_string(port) + "/" + std::to_string(database);
}

Result<RedisAddress> ParseRedisUrl(const std::string& url) {
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) return Refusal("the scheme is not redis://");
  rest.remove_prefix(kScheme.size());

  RedisAddress address;
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    if (!ParseUserInfo(rest.substr(0, at), &address)) return Refusal("bad user or password");
    rest.remove_prefix(at + 1);
  }
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    if (!database.empty() && (!ParseNumber(database, &address.database) || address.database < 0)) {
      return Refusal("the database is not a number");
    }
    rest = rest.substr(0, slash);
  }
  if (!ParseHostPort(rest, &address)) return Refusal("bad host or port");
  return address;
}

}  // namespace minichat::redis
