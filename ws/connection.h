#pragma once

#include <cstddef>
#include <string>

#include "ws/close_reason.h"
#include "ws/frame.h"
#include "ws/outbound_level.h"

namespace minichat::ws {

// The writing half of a WebSocket connection, as an Outbox reaches it.
//
// Threading: Send(), SendLatest() and Close() on the connection's I/O thread; the rest from any
//            thread.
class Connection {
 public:
  virtual ~Connection() = default;

  // The frame already counts in level().
  virtual void Send(Frame frame) = 0;
  // Presence and typing: takes the place of a frame with the same key that has not left yet, comes
  // behind all messages, and is dropped when the queue is half full. Does not count in level().
  virtual void SendLatest(const std::string& key, Frame frame) = 0;
  // Writes what is queued (but to a slow reader), then closes. Ends within a time limit.
  virtual void Close(CloseReason reason) = 0;

  virtual OutboundLevel& level() = 0;
  virtual std::size_t io_index() const = 0;
};

}  // namespace minichat::ws
