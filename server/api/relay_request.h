#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/base/status.h"

namespace minichat::api {

// The mode in `{"mode": "bulk"}`; "" for `{"mode": null}`, which clears the setting.
// InvalidArgument says what is wrong and names the allowed values.
Result<std::string> ParseRelayRequest(std::string_view body,
                                      const std::vector<std::string>& allowed);

}  // namespace minichat::api
