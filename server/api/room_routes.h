#pragma once

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
  core::EventEncoder& encoder;  // how messages look in history: as they do to clients
};

// What trusted services do over HTTP: rooms, members, publishing, history (docs/http.md).
//
// Lifetime:  what `api` refers to outlives the router, and the core's scheduler's last turn.
void AddRoomRoutes(const RoomApi& api, Router* router);

}  // namespace minichat::api
