#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "server/core/room_access.h"
#include "server/core/room_table.h"
#include "server/core/route_dropper.h"

namespace minichat::core {

// Joins, resumes and leaves. A join registers the route and reads the head in one step, so that a
// commit is either before it (and at most the head) or sees the route.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Ordering:  operations of one session on one room run one after another.
class RoomJoiner {
 public:
  RoomJoiner(NodeContext& node, Membership& membership, RoomAccess& access, RoomReader& reader,
             RoomTable& rooms, RouteDropper& dropper)
      : node_(node),
        membership_(membership),
        access_(access),
        reader_(reader),
        rooms_(rooms),
        dropper_(dropper) {}

  Task<void> Join(SessionPtr session, RoomId room, std::optional<Seq> since,
                  Callback<ClientResult<JoinReply>> done);
  Task<void> Resume(SessionPtr session, std::vector<std::pair<RoomId, Seq>> rooms,
                    Callback<std::vector<ClientResult<JoinReply>>> done);
  Task<void> Leave(SessionPtr session, RoomId room, Callback<ClientResult<RoomId>> done);

 private:
  Task<ClientResult<JoinReply>> JoinInTurn(SessionPtr session, RoomId room,
                                           std::optional<Seq> since);
  Task<ClientResult<JoinReply>> Enter(SessionPtr session, RoomId room, std::optional<Seq> since);
  Task<Result<JoinOutcome>> Register(RoomId room, Route route);
  JoinReply Present(const Session& session, const RoomId& room) const;

  NodeContext& node_;
  Membership& membership_;
  RoomAccess& access_;
  RoomReader& reader_;
  RoomTable& rooms_;
  RouteDropper& dropper_;
};

}  // namespace minichat::core
