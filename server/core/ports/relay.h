#pragma once

#include <string>
#include <vector>

#include "server/base/deadline.h"
#include "server/base/status.h"
#include "server/base/task.h"
#include "server/core/message.h"
#include "server/core/ports/room_directory.h"

namespace minichat::core {

enum class RelayResult { kQueued, kNotHere, kQueueFull, kFailed };

// A user is writing something for the room.
struct Typing {
  RoomId room;
  UserId user;

  bool operator==(const Typing&) const = default;
};

// Hands events to other nodes. Best effort: what it loses, the head sweep finds.
//
// Lifetime:  outlives the ChatNode.
// Threading: called on the core scheduler's thread; callbacks run there, never inside the call.
// Errors:    per recipient; kFailed when the call itself failed (deadline, breaker, bound).
// Limits:    bounded calls in flight per peer; above, kFailed at once.
class Relay {
 public:
  virtual ~Relay() = default;

  // Live nodes, at each heartbeat, without this one. Peers that are not in it are closed.
  virtual void SetPeers(std::vector<NodeEntry> peers) = 0;
  // One event for sessions of one node; `done` gets one result per recipient, in their order. How
  // many calls this makes is the relay mode's matter. The smaller of `deadline` and 500 ms counts.
  virtual void Deliver(const NodeName& node, const Incarnation& incarnation, EventPtr event,
                       std::vector<SessionId> recipients, Deadline deadline,
                       Callback<std::vector<RelayResult>> done) = 0;
  // What is no message and may be lost: dropped, and counted, rather than waited for. Never in the
  // way of events.
  virtual void SendTyping(const NodeName& node, const Incarnation& incarnation,
                          const Typing& typing) = 0;
  // The mode that is in force for messages from now on.
  virtual void OnClusterMode(const RelayModeSetting& setting) = 0;
};

// What a node does with events that other nodes relay to it. Implemented by ChatNode.
//
// Threading: called on the core scheduler's thread.
class RelayReceiver {
 public:
  virtual ~RelayReceiver() = default;

  // Returns one result per recipient: all kNotHere when `target` is another incarnation.
  virtual std::vector<RelayResult> OnRelayed(const Incarnation& target, EventPtr event,
                                             const std::vector<SessionId>& recipients) = 0;
  // Ignored when `target` is another incarnation.
  virtual void OnTyping(const Incarnation& target, const Typing& typing) = 0;
};

}  // namespace minichat::core
