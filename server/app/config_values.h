#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/scheduler.h"
#include "server/base/status.h"

namespace minichat::app {

// How values are written in the configuration. Pure functions.

// "250ms", "10s", "5m", "1h"; no value when it is none of these.
std::optional<Duration> ParseDuration(std::string_view text);
std::string PrintDuration(Duration value);

// "4096", "64KiB", "4MiB", "1GiB".
std::optional<std::uint64_t> ParseBytes(std::string_view text);
std::string PrintBytes(std::uint64_t value);

std::optional<std::uint64_t> ParseCount(std::string_view text);
std::optional<bool> ParseBool(std::string_view text);

std::vector<std::string> SplitList(std::string_view text);
std::string JoinList(const std::vector<std::string>& items);

// "host:port" or "[v6]:port".
struct Address {
  std::string host;
  std::uint16_t port = 0;

  // Reachable from this machine only.
  bool loopback() const;
  // The host is "127.0.0.1", "::1" and the like, not a name.
  bool numeric() const;
};
std::optional<Address> ParseAddress(std::string_view text);
std::string PrintAddress(const Address& address);

// "memory:": the backend that a process brings with it.
bool InMemory(std::string_view url);

// What a backend's URL must have besides a host.
struct UrlNeeds {
  bool port = false;           // each host names its port
  bool numbered_path = false;  // what follows the hosts is nothing or "/" and a number
};
// "scheme://…host:port,host:port…": names one host at least, all ports are ports, and the needs
// are met.
bool IsGoodUrl(std::string_view url, UrlNeeds needs);

// The password of "scheme://user:password@host" or "scheme://host?password=…"; empty when there is
// none.
std::string_view PasswordOf(std::string_view url);
// The URL with its password replaced by "***".
std::string RedactUrl(std::string_view url);

}  // namespace minichat::app
