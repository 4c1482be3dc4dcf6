#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/base/http_routes.h"
#include "ws/http_head.h"

namespace minichat::ws {

// Why a request to the WebSocket path is not upgraded, as its response; none: it may be. Decided
// here alone, so that no library answers in words of its own.
std::optional<HttpResponse> RefusalOfUpgrade(const HttpHead& head,
                                             const std::vector<std::string>& allowed_origins);
// Did the client offer our subprotocol? (It need not offer any.)
bool OffersSubprotocol(const HttpHead& head);

}  // namespace minichat::ws
