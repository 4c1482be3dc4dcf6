#pragma once

#include <memory>
#include <string>

#include "server/core/message.h"

namespace minichat::core {

// What counts only while it is news: who came or went, who types.
struct Notice {
  enum class Kind { kOnline, kOffline, kTyping };
  Kind kind = Kind::kTyping;
  RoomId room;
  UserId user;
  std::string key;  // of notices with the same one only the newest counts
  std::shared_ptr<const std::string> encoded;
};
using NoticePtr = std::shared_ptr<const Notice>;

enum class SessionEnd {
  kKicked,   // it may come back
  kRevoked,  // it may come back with another token
};

// A connected client as the core sees it. Implemented by ws.
//
// Lifetime:  shared; the core lets go of it in CloseSession().
// Threading: called on the core scheduler's thread.
// Limits:    the link bounds its own queue: when it is full the link closes itself (4008) and the
//            core hears of it through CloseSession(). Calls on a closed link do nothing. A link
//            never calls the core from inside one of these calls.
class ClientLink {
 public:
  virtual ~ClientLink() = default;

  // Queues the event's bytes. Events of a room come in seq order.
  virtual void Deliver(const EventPtr& event) = 0;
  // Room for one more page of a catch-up? When it said no, the link calls ChatNode::OnDrained()
  // once its queue has drained. Live events don't ask.
  virtual bool CanTakePage() const = 0;
  // Events in [from, to] can't be had; the next ones follow.
  virtual void TellGap(const RoomId& room, Seq from, Seq to) = 0;
  // Queues the notice behind all events; dropped when the queue is filling.
  virtual void Tell(const NoticePtr& notice) = 0;
  // The user was removed from the room, and the session is no longer in it.
  virtual void TellRemoved(const RoomId& room) = 0;
  // The node must let this session go: sends bye, then closes 1012.
  virtual void CloseForRestart() = 0;
  // An operator ends the session.
  virtual void End(SessionEnd why) = 0;
};

// Turns a placed message, or a notice, into the bytes that every client of the room gets.
// Implemented by ws.
//
// Threading: thread-safe, pure.
class EventEncoder {
 public:
  virtual ~EventEncoder() = default;
  virtual std::string Encode(const PlacedMessage& placed) const = 0;
  virtual std::string EncodeNotice(Notice::Kind kind, const RoomId& room,
                                   const UserId& user) const = 0;
};

}  // namespace minichat::core
