#pragma once

#include <cstddef>

#include "server/base/status.h"

namespace minichat::loadtest {

// Raises this process's limit of open files as far as it may; the limit in force then.
// Errors: kResourceExhausted when that is not enough for `connections`.
Result<std::size_t> RaiseOpenFiles(std::size_t connections);

}  // namespace minichat::loadtest
