#pragma once

#include <vector>

#include "server/base/http_routes.h"

namespace minichat::web {

// The page and what it loads, as they were in this folder when the program was built.
std::vector<StaticFile> PageFiles();

}  // namespace minichat::web
