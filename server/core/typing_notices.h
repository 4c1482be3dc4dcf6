#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <utility>

#include "server/core/presence_tracker.h"

namespace minichat::core {

// Tells a room's sessions who is typing: those here by their links, those on other nodes by one
// best-effort call for each node.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    none: what can't be passed on at once is dropped, and counted.
// Limits:    one notice per user and room in options.typing_pause, kMaxRecent in all; none in rooms
//            that are crowded (PresenceTracker).
class TypingNotices {
 public:
  TypingNotices(NodeContext& node, RoomTable& rooms, PresenceTracker& presence)
      : node_(node), rooms_(rooms), presence_(presence) {}

  // The session has joined the room.
  void Send(const Session& session, const RoomId& room);
  // From another node.
  void OnRelayed(const Typing& typing) { TellHere(typing, SessionId()); }

 private:
  static constexpr std::size_t kMaxRecent = 10'000;
  using Key = std::pair<RoomId, UserId>;

  // Counts it when not.
  bool MayPass(const Key& key);
  void TellHere(const Typing& typing, const SessionId& but) const;

  NodeContext& node_;
  RoomTable& rooms_;
  PresenceTracker& presence_;
  std::set<Key> recent_;
  std::deque<std::pair<TimePoint, Key>> by_age_;  // of recent_, oldest first
};

}  // namespace minichat::core
