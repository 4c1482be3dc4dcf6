#pragma once

#include "server/api/router.h"
#include "server/base/scheduler.h"
#include "server/core/chat_node.h"

namespace minichat::api {

// Sessions as operators see them: list (of this node), kick, revoke (in the whole cluster).
//
// Lifetime: `core` and `node` outlive the router.
class SessionRoutes {
 public:
  SessionRoutes(Scheduler& core, core::ChatNode& node) : core_(core), node_(node) {}

  Router::Handler List() const;
  Router::Handler KickSession() const;  // /…/{session}
  Router::Handler KickUser() const;     // /…/{user}/…
  Router::Handler Revoke() const;       // /…/{user}/…

 private:
  Scheduler& core_;
  core::ChatNode& node_;
};

}  // namespace minichat::api
