#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "server/core/room_sequencer.h"

namespace minichat::core {

// The rooms that have sessions on this node, and the sessions.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Limits:    options.max_sessions; rooms exist while they have sessions.
class RoomTable {
 public:
  RoomTable(NodeContext& node, Membership& membership, RoomReader& reader)
      : node_(node), membership_(membership), reader_(reader) {}

  SessionPtr OpenSession(SessionOwner owner, std::shared_ptr<ClientLink> link);
  SessionPtr FindSession(const SessionId& id) const;
  // Takes the session out of the table and of its rooms; answers which these were.
  std::vector<RoomId> CloseSession(const SessionPtr& session);
  std::vector<SessionPtr> sessions() const;
  std::size_t session_count() const { return sessions_.size(); }

  // Null: no session here has joined the room.
  std::shared_ptr<RoomSequencer> Find(const RoomId& room) const;
  std::shared_ptr<RoomSequencer> Enter(const SessionPtr& session, const RoomId& room, Seq cursor,
                                       Seq head);
  void Leave(const SessionPtr& session, const RoomId& room);
  std::vector<RoomId> rooms() const;

  Route RouteOf(const Session& session) const;
  std::vector<std::pair<RoomId, std::vector<Route>>> Routes() const;
  void OnGeneration();

 private:
  NodeContext& node_;
  Membership& membership_;
  RoomReader& reader_;
  std::unordered_map<SessionId, SessionPtr> sessions_;
  std::unordered_map<RoomId, std::shared_ptr<RoomSequencer>> rooms_;
  std::uint64_t last_session_ = 0;
};

}  // namespace minichat::core
