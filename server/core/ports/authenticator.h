#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/base/status.h"
#include "server/core/ids.h"

namespace minichat::core {

inline constexpr std::size_t kMaxTokenBytes = 4096;

// Whom a token names, and when. Times are wall-clock milliseconds since 1970.
struct Identity {
  UserId user;
  std::string token_id;             // the issuer's name for the token; empty: it has none
  std::int64_t issued_at_ms = 0;    // 0: the token doesn't say
  std::int64_t expires_at_ms = 0;   // as the token says
  std::int64_t valid_until_ms = 0;  // its session ends then: the expiry and the leeway
};

// Tells whom a client's token names. Implemented by auth.
//
// Threading: thread-safe; does not block.
// Errors:    InvalidArgument with what is wrong, "token: has expired"; never a part of the token.
// Limits:    a token has at most kMaxTokenBytes.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual Result<Identity> Verify(std::string_view token, std::int64_t now_ms) const = 0;
};

}  // namespace minichat::core
