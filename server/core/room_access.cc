#include "server/core/room_access.h"

namespace minichat::core {

Task<std::optional<ClientError>> RoomAccess::RefusalOf(UserId user, RoomId room) {
  if (IsOpen(room)) co_return std::nullopt;
  auto standing = co_await StoreCall<Result<Standing>>(node_, [&](Deadline deadline, auto done) {
    node_.ports.room_store.StandingOf(room, user, deadline, std::move(done));
  });
  if (!standing.ok()) {
    co_return ClientError{ErrorCode::kUnavailable, "the room's members can't be looked up now",
                          1000};
  }
  if (standing.value() == Standing::kMember) co_return std::nullopt;
  co_return ClientError{
      ErrorCode::kForbidden, "room: you may not enter \"" + room.value() + "\"", {}};
}

}  // namespace minichat::core
