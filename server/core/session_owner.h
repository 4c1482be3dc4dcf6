#pragma once

#include <cstdint>
#include <optional>

#include "server/core/ids.h"

namespace minichat::core {

// Whose session it is, and since when that is attested.
struct SessionOwner {
  UserId user;
  std::optional<std::int64_t> token_issued_at_ms;  // none: no token
};

}  // namespace minichat::core
