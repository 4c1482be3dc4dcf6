#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/status.h"

namespace minichat::auth {

// The last second of the year 9999: no claim is later.
inline constexpr std::int64_t kMaxTimeS = 253'402'300'799;

// What a token says of itself, in the form that RFC 7519 gives it; not yet judged.
struct Claims {
  std::string subject;
  std::string id;                            // "jti"; empty: none
  std::int64_t expires_s = 0;                // "exp"
  std::optional<std::int64_t> not_before_s;  // "nbf"
  std::optional<std::int64_t> issued_at_s;   // "iat"
  std::optional<std::string> issuer;         // "iss"
  std::vector<std::string> audience;         // "aud", one or several
};

// Pure functions over the decoded parts of a token. Errors: InvalidArgument, "exp: is missing".
//
// The header must be an object that names `algorithm` and asks for nothing else ("crit").
Status CheckHeader(std::string_view json, std::string_view algorithm);
// "sub" and "exp" must be there; every claim that is must have its type, once.
Result<Claims> ParseClaims(std::string_view json);

}  // namespace minichat::auth
