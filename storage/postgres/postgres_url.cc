#include "storage/postgres/postgres_url.h"

#include <algorithm>
#include <array>
#include <utility>

namespace minichat::postgres {
namespace {

constexpr std::string_view kScheme = "postgresql://";

// libpq takes a connect_timeout of 1 for 2.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kDefaults = {{
    {"connect_timeout", "2"},
    {"keepalives_idle", "5"},
    {"keepalives_interval", "2"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "10000"},
    {"application_name", "minichat"},
}};

bool Names(std::string_view url, std::string_view key) {
  const std::string name = std::string(key) + "=";
  return url.find("?" + name) != std::string_view::npos ||
         url.find("&" + name) != std::string_view::npos;
}

}  // namespace

Result<std::string> ConnectionString(std::string_view url) {
  if (url.substr(0, kScheme.size()) != kScheme) {
    return InvalidArgument("postgres: url: must be postgresql://user@host:port/database");
  }
  std::string full(url);
  for (const auto& [key, value] : kDefaults) {
    if (Names(url, key)) continue;
    full += full.find('?') == std::string::npos ? '?' : '&';
    full.append(key).append("=").append(value);
  }
  return full;
}

std::string RedactUrl(std::string_view url) {
  std::string shown(url);
  const std::size_t at = shown.rfind('@', shown.find('?'));
  if (at != std::string::npos) {
    const std::size_t colon = shown.find(':', shown.find("://") + 3);
    if (colon < at) shown.replace(colon + 1, at - colon - 1, "***");
  }
  const std::size_t parameter = shown.find("password=");
  if (parameter != std::string::npos) {
    const std::size_t begin = parameter + std::string_view("password=").size();
    shown.replace(begin, std::min(shown.find('&', begin), shown.size()) - begin, "***");
  }
  return shown;
}

}  // namespace minichat::postgres
