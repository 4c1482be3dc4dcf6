#pragma once

#include <cstddef>

#include "ws/close_reason.h"
#include "ws/outbound_queue.h"

namespace minichat::ws {

// The writing half of a WebSocket connection, as an Outbox reaches it.
//
// Threading: Send() and Close() on the connection's I/O thread; the rest from any thread.
class Connection {
 public:
  virtual ~Connection() = default;

  // The frame already counts in level().
  virtual void Send(Frame frame) = 0;
  // Writes what is queued (but to a slow reader), then closes. Ends within a time limit.
  virtual void Close(CloseReason reason) = 0;

  virtual OutboundLevel& level() = 0;
  virtual std::size_t io_index() const = 0;
};

}  // namespace minichat::ws
