#pragma once

#include <cstddef>

#include "server/core/client_error.h"
#include "server/core/presence_tracker.h"

namespace minichat::core {

// Answers who is in a room: the users of its routes, read anew each time, whose node is alive.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    kUnavailable when the directory can't be asked; kOverloaded above the limit.
// Limits:    options.max_waiting_whos reads under way; kMaxPage users a page.
class WhoReader {
 public:
  static constexpr std::size_t kMaxPage = 200;

  WhoReader(NodeContext& node, Membership& membership, PresenceTracker& presence)
      : node_(node), membership_(membership), presence_(presence) {}

  Task<void> Read(WhoRequest request, Callback<ClientResult<WhoPage>> done);

 private:
  Task<ClientResult<WhoPage>> ReadPage(WhoRequest request);
  bool KnowsAll(const RoomRoutes& routes) const;
  WhoPage PageOf(const WhoRequest& request, const RoomRoutes& routes) const;

  NodeContext& node_;
  Membership& membership_;
  PresenceTracker& presence_;
  std::size_t waiting_ = 0;
};

}  // namespace minichat::core
