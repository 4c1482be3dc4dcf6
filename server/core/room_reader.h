#pragma once

#include <optional>
#include <vector>

#include "server/core/calls.h"

namespace minichat::core {

// A page of a room, in order and without holes above where it starts.
struct ReadPage {
  std::vector<PlacedMessage> messages;  // ascending; `prev` chained, the first one's is <= `after`
  Seq head = 0;
  bool more = false;  // false: complete to the head
};

// The low end of a room's hot window, where reading goes on when Postgres is away.
struct WindowLow {
  bool known = false;
  Seq prev = 0;
};

// Reads a room as the hot window and Postgres hold it together, and warms rooms that are cold.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    Unavailable, DeadlineExceeded (try again), Aborted (the generation changed).
class RoomReader {
 public:
  RoomReader(NodeContext& node, Membership& membership) : node_(node), membership_(membership) {}

  // The first `limit` messages above `after`. `low`, when given, is set even if Postgres fails.
  Task<Result<ReadPage>> ReadAfter(RoomId room, Seq after, std::size_t limit, WindowLow* low);
  // The last `limit` messages below `before`.
  Task<Result<ReadPage>> ReadBefore(RoomId room, Seq before, std::size_t limit);
  // OK: try again what found the room cold.
  Task<Status> Warm(RoomId room);

 private:
  Task<Result<WindowReply>> Window(WindowRequest request);
  Task<Result<std::vector<PlacedMessage>>> Rows(RangeRequest request);

  NodeContext& node_;
  Membership& membership_;
};

}  // namespace minichat::core
