#pragma once

#include <string>
#include <string_view>

#include "server/base/status.h"

namespace minichat::postgres {

// The connection string for libpq: `url` with what it doesn't say itself about how long to wait
// for a server and how to notice that it is gone. Only "postgresql://" is taken.
Result<std::string> ConnectionString(std::string_view url);

// For logs: without the password, wherever it stands.
std::string RedactUrl(std::string_view url);

}  // namespace minichat::postgres
