#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include "server/core/room_table.h"

namespace minichat::core {

// Takes routes out of the directory that no session here stands behind any more, and doesn't give
// up: a route that stayed would say for ever that its user is there.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    what fails is tried again every second.
// Limits:    kMaxLeft routes wait; above, the node registers anew, as another incarnation, and all
//            that it has left behind is a dead one's.
class RouteDropper {
 public:
  static constexpr std::size_t kMaxLeft = 10'000;

  RouteDropper(NodeContext& node, Membership& membership, RoomTable& rooms)
      : node_(node), membership_(membership), rooms_(rooms) {}

  // The session is closed, or the caller has its turn in the room: it can't join meanwhile.
  Task<void> Drop(RoomId room, SessionId session);
  // In its turn, unless it is in the room then.
  Task<void> DropInTurn(RoomId room, SessionId session);
  // The same in a moment.
  void DropLater(const RoomId& room, const SessionId& session);

 private:
  Task<bool> TryDrop(RoomId room, SessionId session);
  Task<bool> TryDropInTurn(RoomId room, SessionId session);
  Task<void> RetryLoop();

  NodeContext& node_;
  Membership& membership_;
  RoomTable& rooms_;
  std::set<std::pair<RoomId, SessionId>> left_;
  bool retrying_ = false;
};

}  // namespace minichat::core
