#pragma once

#include <cstdint>
#include <string>

#include "server/base/status.h"

namespace minichat::redis {

// Where a Redis server is, and as whom and for which database to use it.
struct RedisAddress {
  std::string host;
  std::uint16_t port = 6379;
  std::string user;      // empty: the default user
  std::string password;  // empty: no AUTH
  int database = 0;

  // "host:port/db": for logs, without secrets.
  std::string ToText() const;
};

// redis://[[user]:password@]host[:port][/db]; user and password may be percent-encoded. The error
// never repeats the text, which may hold a password.
Result<RedisAddress> ParseRedisUrl(const std::string& url);

}  // namespace minichat::redis
