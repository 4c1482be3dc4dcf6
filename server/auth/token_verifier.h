#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "server/auth/token_key.h"
#include "server/core/ports/authenticator.h"

namespace minichat::auth {

struct Claims;

// What a token must say besides being signed.
struct TokenRules {
  std::string audience;  // one of "aud"; empty: "aud" is not looked at
  std::string issuer;    // "iss"; empty: "iss" is not looked at
  // By which the clocks of issuer and node may differ.
  std::chrono::milliseconds leeway = std::chrono::seconds(30);
};

// Verifies JSON Web Tokens (RFC 7519) in their compact, signed form with one key.
//
// Signature first: what an unsigned payload says is not even parsed.
// Threading: immutable.
// Errors, limits: as core::Authenticator.
class TokenVerifier final : public core::Authenticator {
 public:
  TokenVerifier(TokenKey key, TokenRules rules) : key_(std::move(key)), rules_(std::move(rules)) {}

  Result<core::Identity> Verify(std::string_view token, std::int64_t now_ms) const override;

 private:
  // The payload of a token whose signature is right.
  Result<std::string> Open(std::string_view token) const;
  Result<core::Identity> Judge(const Claims& claims, std::int64_t now_ms) const;
  Status CheckTimes(const Claims& claims, std::int64_t now_ms) const;

  const TokenKey key_;
  const TokenRules rules_;
};

}  // namespace minichat::auth
