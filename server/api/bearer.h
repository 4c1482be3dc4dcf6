#pragma once

#include <string>
#include <vector>

#include "server/api/router.h"

namespace minichat::api {

// Whether the request's Authorization is "Bearer" and one of the keys. Takes the same time whatever
// is equal.
bool HasBearer(const HttpRequest& request, const std::vector<std::string>& keys);

// Refuses with 401 who has none of the keys; `wanted` names them in the error.
Router::Handler WithBearer(std::vector<std::string> keys, const std::string& wanted,
                           Router::Handler handler);

}  // namespace minichat::api
