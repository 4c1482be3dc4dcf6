#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "server/auth/token_key.h"

namespace minichat::auth {

// What a new token is to say.
struct TokenGrant {
  std::string user;
  std::chrono::seconds ttl{3600};
  std::string id;  // "jti"; this and the next two are left out when empty
  std::string audience;
  std::string issuer;
};

// A signed token, valid from now on. Fails when the key can't sign. The grant's texts are UTF-8;
// whether a verifier takes them is not asked here.
Result<std::string> IssueToken(const TokenKey& key, const TokenGrant& grant, std::int64_t now_ms);

}  // namespace minichat::auth
