#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/core/room_table.h"

namespace minichat::core {

// Brings a placed message to the room's sessions: the local ones through the sequencer, the others
// by one relay hand-over per node. Keeps each room's routes by version and reads them again only
// when a commit returned another one.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    none to the caller: what is not delivered is the head sweep's. A recipient that is
//            `not_here` gets one fresh look-up and one more try inside the same deadline.
// Limits:    at most kMaxCachedRooms rooms in the cache; then it starts anew.
class FanOut {
 public:
  FanOut(NodeContext& node, Membership& membership, RoomTable& rooms)
      : node_(node), membership_(membership), rooms_(rooms) {}

  Task<void> Run(PlacedMessage placed, std::uint64_t route_version, Deadline deadline);

 private:
  static constexpr std::size_t kMaxCachedRooms = 10'000;

  // The sessions of one room on one other node.
  struct Remote {
    NodeName node;
    Incarnation incarnation;
    std::vector<SessionId> sessions;
  };
  // Shared by the cache and the relays under way: a copy would cost an allocation for each
  // recipient.
  using RemotePtr = std::shared_ptr<const Remote>;
  struct CachedRoutes {
    std::uint64_t version = 0;
    std::vector<RemotePtr> remotes;
  };
  using CachedRoutesPtr = std::shared_ptr<const CachedRoutes>;

  void DeliverHere(const EventPtr& event);
  Task<CachedRoutesPtr> RoutesOf(RoomId room, std::uint64_t version);
  Task<CachedRoutesPtr> ReadRoutes(RoomId room);
  CachedRoutesPtr Group(const RoomRoutes& routes) const;
  // False: the node isn't known to be alive, nothing was done.
  bool RelayTo(const RemotePtr& remote, const EventPtr& event, Deadline deadline, bool may_reroute);
  Task<void> Reroute(EventPtr event, RemotePtr tried, std::vector<SessionId> missing,
                     Deadline deadline);

  NodeContext& node_;
  Membership& membership_;
  RoomTable& rooms_;
  std::unordered_map<RoomId, CachedRoutesPtr> cache_;
};

}  // namespace minichat::core
