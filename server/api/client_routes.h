#pragma once

#include <memory>
#include <vector>

#include "server/api/room_routes.h"
#include "server/api/router.h"
#include "server/base/http_routes.h"

namespace minichat::api {

// What the client port serves besides /ws: the page, with headers that let a browser load nothing
// from elsewhere, /healthz, and /api/v1 for trusted services.
std::unique_ptr<Router> MakeClientRoutes(const std::vector<StaticFile>& page, const RoomApi& rooms);

}  // namespace minichat::api
