#pragma once

#include <memory>
#include <string>

#include "loadtest/live/live_board.h"
#include "server/base/http_routes.h"

namespace minichat::loadtest {

// What the control port serves: GET /v1/state and PUT /v1/settings. It answers only who asks for a
// loopback address, and of web pages only those that came from one, so that no page of another
// site can steer load from a developer's browser.
//
// Lifetime:  the board outlives it.
// Threading: as HttpRoutes.
std::unique_ptr<HttpRoutes> MakeControlRoutes(const std::string& label, LiveBoard& board);

// "http://127.0.0.1:9101" and "http://localhost:9101" are; "http://localhost.example" is not.
bool IsLoopbackOrigin(std::string_view origin);
// The same for a Host header's value.
bool IsLoopbackHost(std::string_view host);

}  // namespace minichat::loadtest
