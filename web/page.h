#pragma once

#include <vector>

#include "server/base/http_routes.h"

namespace minichat::web {

// The page and what it loads, as they were in this folder when the program was built.
std::vector<StaticFile> PageFiles();
// The live comparison of relay modes, under /lab of the admin listener. It steers nothing by
// itself: it talks to a minichat-load that someone started on the browser's own machine.
std::vector<StaticFile> LabFiles();

}  // namespace minichat::web
