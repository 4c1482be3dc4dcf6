#pragma once

#include <string>

#include "server/api/router.h"
#include "server/base/http_routes.h"

namespace minichat::api {

// Serves a page's file to anyone. `connect_sources`: what its scripts may talk to, as a
// Content-Security-Policy writes it.
void AddFileRoute(const StaticFile& file, const std::string& connect_sources, Router* router);

}  // namespace minichat::api
