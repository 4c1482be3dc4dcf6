#pragma once

#include <memory>
#include <vector>

#include "server/base/http_routes.h"

namespace minichat::api {

// What the client port serves besides /ws: the page, with headers that let a browser load nothing
// from elsewhere, and /healthz.
std::unique_ptr<HttpRoutes> MakeClientRoutes(const std::vector<StaticFile>& page);

}  // namespace minichat::api
