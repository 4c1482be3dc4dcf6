#pragma once

#include <optional>
#include <variant>

#include "server/core/room_reader.h"

namespace minichat::core {

// A logged message that is to get its place.
struct PlaceJob {
  MessagePtr message;
  MessageId base_id;  // the message's own id, also when it is stored under a variant
  Attempt attempt = 0;
  bool resend = false;  // a miss in the directory is looked up in Postgres
  TimePoint started{};  // an attempt older than an operation counts as resend
  Deadline deadline;
  std::optional<Generation> only_in;  // give up when the generation changes
};

struct Placed {
  Place place;
  std::uint64_t route_version = 0;
  bool fresh = true;     // fans out; false: a duplicate
  bool filling = false;  // the hot window: senders should pause
  std::int64_t sent_at_ms = 0;
};
struct PlaceConflict {};  // the id has another text in the directory
using PlaceOutcome = std::variant<Placed, PlaceConflict, StoredRow>;

// Gives logged messages their place in their room: directory, then Postgres on a miss that must be
// looked up, then directory again; warms cold rooms.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    ResourceExhausted: the hot window is full. Else DeadlineExceeded: not known.
class Placer {
 public:
  Placer(NodeContext& node, Membership& membership, RoomReader& reader)
      : node_(node), membership_(membership), reader_(reader) {}

  Task<Result<PlaceOutcome>> Run(PlaceJob job);
  // The row of this message, by its id or by the id that also hashes the text.
  Task<Result<std::optional<StoredRow>>> Lookup(PlaceJob job);

 private:
  Task<Result<CommitReply>> Commit(CommitRequest request);

  NodeContext& node_;
  Membership& membership_;
  RoomReader& reader_;
};

}  // namespace minichat::core
