#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/api/router.h"
#include "server/base/http_routes.h"
#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/core/chat_node.h"

namespace minichat::api {

struct AdminOptions {
  std::string key;  // that /admin/v1 wants as Bearer; empty: none
  std::vector<std::string> relay_modes = {"bulk", "single", "stream"};  // that may be set
  std::vector<StaticFile> lab_page = {};                                // served to anyone
  std::function<std::string()> relay_mode;  // in force on this node; called on the core's thread
  // Set for the whole cluster at run time; empty: none. Called on the core's thread.
  std::function<std::string()> cluster_mode = [] { return std::string(); };
  // What is lacking besides what the node says; called on the core's thread.
  std::function<std::vector<std::string>()> also_lacking = [] {
    return std::vector<std::string>();
  };
};

// What the admin listener serves: /healthz, /readyz, /metrics, the page /lab, and under /admin/v1
// status, relay, sessions and users.
//
// Lifetime:  what it is given outlives it, and the core's scheduler's last turn.
// Threading: as HttpRoutes; what asks the node runs on the core's scheduler.
std::unique_ptr<Router> MakeAdminRoutes(AdminOptions options, Scheduler& core, core::ChatNode& node,
                                        MetricsRegistry& metrics);

}  // namespace minichat::api
