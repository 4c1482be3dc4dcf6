#pragma once

#include <cstdint>
#include <optional>

#include "server/core/calls.h"
#include "server/core/client_error.h"
#include "server/core/room_patterns.h"

namespace minichat::core {

// Who may be in which room: anyone in rooms that the configuration opens, members in private ones.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    kForbidden for a private and for a missing room alike; kUnavailable when the store
//            can't tell.
class RoomAccess {
 public:
  explicit RoomAccess(NodeContext& node) : node_(node) {}

  bool IsOpen(const RoomId& room) const {
    return MatchesAny(node_.options.open_rooms, room.value());
  }
  // None: the user may enter.
  Task<std::optional<ClientError>> RefusalOf(UserId user, RoomId room);

  // Members were removed somewhere: what was looked up in an older epoch counts no more.
  void BeginEpoch() { ++epoch_; }
  std::uint64_t epoch() const { return epoch_; }

 private:
  NodeContext& node_;
  std::uint64_t epoch_ = 0;
};

}  // namespace minichat::core
