#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/api/router.h"
#include "server/base/scheduler.h"
#include "server/core/chat_node.h"

namespace minichat::api {

struct RoomApi {
  std::vector<std::string> keys;  // of which one is wanted as Bearer; none: nobody has one
  Scheduler& core;
  core::ChatNode& node;
  // How a message looks in history, as JSON: as it does to clients.
  std::function<std::string(const core::PlacedMessage&)> to_json;
};

// What trusted services do over HTTP: rooms, members, publishing, history (docs/http.md).
//
// Lifetime:  what `api` refers to outlives the router, and the core's scheduler's last turn.
void AddRoomRoutes(const RoomApi& api, Router* router);

}  // namespace minichat::api
