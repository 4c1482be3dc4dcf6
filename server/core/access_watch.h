#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "server/core/room_access.h"
#include "server/core/route_dropper.h"

namespace minichat::core {

// Puts the cluster's access changes into effect on this node: takes removed members out of rooms,
// ends sessions that were kicked or whose token was revoked. Each heartbeat tells the version of
// the latest change; what a node has not seen it fetches, and when some are forgotten it checks all
// of its sessions anew.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    what fails is tried again at the next heartbeat.
class AccessWatch {
 public:
  AccessWatch(NodeContext& node, Membership& membership, RoomAccess& access, RoomTable& rooms,
              RouteDropper& dropper)
      : node_(node), membership_(membership), access_(access), rooms_(rooms), dropper_(dropper) {}

  void OnVersion(std::uint64_t version);

  // None: a session with a token that was issued then may live. Refused while it isn't known.
  std::optional<ClientError> RefusalOf(const UserId& user, std::int64_t issued_at_ms) const;

 private:
  Task<void> CatchUp();
  // False: something could not be looked up.
  Task<bool> CatchUpWith(AccessNews news);
  Task<bool> LoadRevocations();
  Task<bool> CheckMembers();
  void Apply(const AccessChange& change);
  void Remove(const UserId& user, const RoomId& room);
  void EndRevoked(const UserId& user);
  bool IsSeen(std::uint64_t version) const;

  NodeContext& node_;
  Membership& membership_;
  RoomAccess& access_;
  RoomTable& rooms_;
  RouteDropper& dropper_;
  std::optional<std::uint64_t> seen_;  // none: nothing is known yet
  Generation seen_in_ = 0;             // versions begin anew with the directory's memory
  bool catching_up_ = false;
  std::map<UserId, std::int64_t> revoked_before_ms_;
};

}  // namespace minichat::core
