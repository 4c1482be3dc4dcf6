#pragma once

#include <vector>

#include "server/core/presence_tracker.h"
#include "server/core/room_table.h"

namespace minichat::core {

// Once a second, and when asked, compares the heads of this node's rooms with each session's
// cursor; who is still behind after a moment gets what lacks. The one mechanism behind lost relays,
// dead senders and the last message of a silent room. What the heads tell of the routes it hands
// to presence.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Limits:    options.rooms_per_sweep rooms a period; above, a round takes several periods.
class HeadSweeper {
 public:
  HeadSweeper(NodeContext& node, Membership& membership, RoomReader& reader, RoomTable& rooms,
              PresenceTracker& presence)
      : node_(node),
        membership_(membership),
        reader_(reader),
        rooms_(rooms),
        presence_(presence),
        kick_(node.scheduler()) {}

  void Start() { node_.tasks.Spawn(Loop()); }
  // Sweeps now instead of at the end of the period.
  void Kick() { kick_.Complete(true); }

 private:
  // A room with sessions below its head.
  struct Behind {
    RoomId room;
    Seq head = 0;
    std::vector<SessionId> sessions;
  };

  Task<void> Loop();
  Task<void> Sweep(std::vector<RoomId> rooms);
  Task<void> RepairLater(std::vector<Behind> behind);
  Task<void> WarmThenSweep(RoomId room);
  std::vector<RoomId> NextSlice();

  NodeContext& node_;
  Membership& membership_;
  RoomReader& reader_;
  RoomTable& rooms_;
  PresenceTracker& presence_;
  Completion<bool> kick_;
  std::vector<RoomId> remaining_;  // what is left of this round
};

}  // namespace minichat::core
