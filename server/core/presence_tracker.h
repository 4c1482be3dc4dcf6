#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/core/room_table.h"

namespace minichat::core {

// Tells the sessions of this node who comes to and goes from their rooms. It keeps no state of the
// cluster's: a room's users are those of its routes whose node is alive. The head sweep brings the
// version of the routes; they are read again when that has changed, and compared with what the
// sessions here were told.
//
// A change is told when it has held for options.presence_hold, or at once when the user's node
// died.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    what can't be read is read after the next sweep.
// Limits:    kReadsPerSweep routes a sweep, kReadsAtOnce at a time; kNoticesPerTurn changes and
//            about kFramesPerTurn frames in one turn, so that a session's lane never overflows for
//            it; rooms with more than options.presence_sessions sessions are left out.
class PresenceTracker {
 public:
  PresenceTracker(NodeContext& node, Membership& membership, RoomTable& table)
      : node_(node), membership_(membership), table_(table) {}

  // The head sweep: a new one begins; what it found of a room with sessions here.
  void OnSweep();
  void OnHead(const RoomId& id, const RoomHead& head);
  // A session here was shown these routes. It believes them: what is otherwise now is told to it,
  // also when nobody else has noticed.
  void OnShown(const RoomId& id, const RoomRoutes& routes);
  // The routes of another memory say nothing of this one's versions.
  void OnGeneration();

  // Too many sessions for notices.
  bool IsCrowded(const RoomId& id) const;
  // The other nodes on which the room has sessions, as far as is known.
  std::vector<std::pair<NodeName, Incarnation>> OtherNodes(const RoomId& id) const;

 private:
  static constexpr std::size_t kReadsPerSweep = 500;
  static constexpr std::size_t kReadsAtOnce = 8;
  static constexpr std::size_t kNoticesPerTurn = 64;
  static constexpr std::size_t kFramesPerTurn = 1'000;

  using Users = std::vector<UserId>;  // sorted, each once
  struct Seats {                      // the users on one node
    NodeName node;
    Incarnation incarnation;
    Users users;
  };
  // Something that the sessions here have still to be told.
  struct Change {
    bool online = false;
    TimePoint due;
    bool shown = false;          // to one of them, by OnShown()
    std::vector<NodeName> from;  // of one who went: where the sessions were
  };
  struct Room {
    std::uint64_t version = 0;  // of the routes; 0: to be read
    std::uint64_t live = 0;     // the live nodes with which they were compared
    std::vector<Seats> seats;
    bool known = false;  // `told` is something
    Users told;          // online, as the sessions here believe
    std::map<UserId, Change> changes;
    bool crowded = false;
    bool reading = false;  // or in the queue for it
    bool telling = false;  // in the queue for it
  };

  void WantRead(const RoomId& id, Room& room);
  void StartReads();
  Task<void> Read(RoomId id);
  void OnRoutes(const RoomId& id, Room& room, const RoomRoutes& routes);
  void Compare(Room& room, const std::vector<Seats>& before);
  void ReviseChanges(Room& room, const Users& present);
  void AddChanges(Room& room, const Users& present, const std::vector<Seats>& before);
  void TellWhatIsDue(const RoomId& id, Room& room);
  Task<void> TellLoop();
  void TellSome(const RoomId& id, Room& room, std::size_t* notices, std::size_t* frames);
  std::size_t Tell(const RoomId& id, const UserId& user, bool online) const;
  Users Present(const Room& room) const;
  bool IsLost(const Change& change) const;
  // When the change is to be told, by what is known now.
  TimePoint DueOf(const Change& change) const;

  NodeContext& node_;
  Membership& membership_;
  RoomTable& table_;
  std::unordered_map<RoomId, Room> rooms_;  // that have, or lately had, sessions here
  std::deque<RoomId> to_read_;
  std::deque<RoomId> to_tell_;
  std::size_t reading_ = 0;
  std::size_t reads_left_ = 0;  // of this sweep
  bool starting_reads_ = false;
  bool telling_ = false;
};

}  // namespace minichat::core
