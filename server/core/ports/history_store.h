#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/base/deadline.h"
#include "server/base/status.h"
#include "server/base/task.h"
#include "server/core/message.h"

namespace minichat::core {

// What warming learns of a room.
struct WarmingFacts {
  bool refused = false;             // a higher generation is current
  Seq max_seq = 0;                  // 0: no rows
  std::int64_t newest_age_ms = -1;  // of the newest row, by the store's clock; -1: no rows
};

struct StoredRow {
  Seq seq = 0;
  BodyHash hash = 0;
  std::int64_t sent_at_ms = 0;
};

// A row to be written. Where it lay in the log, when that is known.
struct NewRow {
  PlacedMessage placed;
  std::optional<std::int32_t> partition;
  std::optional<std::int64_t> offset;
};

struct InsertReply {
  bool fenced = false;  // `current` is another generation: nothing was written
  // Indexes of rows that can't be stored (bad data, or the place holds another id): each is in the
  // dead letters now, the rest is stored.
  std::vector<std::size_t> dead;
};

struct RangeRequest {
  RoomId room;
  Seq after = 0;         // exclusive
  Seq before = kMaxSeq;  // exclusive
  std::size_t limit = 0;
  bool from_end = false;  // the last `limit` of the range, not its first
};

struct DeadLetter {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::string error;
  std::string raw;
};

// The rows: the truth about what was said. Postgres, or memory.
//
// Lifetime:  outlives the ChatNode.
// Threading: called on the core scheduler's thread; callbacks run there, never inside the call.
// Errors:    Unavailable or DeadlineExceeded: nothing is known of the outcome; each call may be
//            repeated. Callbacks run exactly once, soon after the deadline at the latest.
// Limits:    waiting calls are bounded; above, ResourceExhausted at once.
class HistoryStore {
 public:
  virtual ~HistoryStore() = default;

  virtual bool available() const = 0;

  // A new generation's number, from a sequence; noted with the run id.
  virtual void NextGeneration(const std::string& run_id, Deadline deadline,
                              Callback<Result<Generation>> done) = 0;
  // The highest generation that warmed a room; 0: none has.
  virtual void CurrentGeneration(Deadline deadline, Callback<Result<Generation>> done) = 0;
  // One transaction: current = greatest(current, generation); refused when it is higher; max(seq).
  virtual void PrepareWarming(const RoomId& room, Generation generation, Deadline deadline,
                              Callback<Result<WarmingFacts>> done) = 0;
  // The row of `id` or of `variant`: one with this hash if there is one, else the earliest.
  virtual void Lookup(const RoomId& room, const MessageId& id, std::optional<MessageId> variant,
                      BodyHash hash, Deadline deadline,
                      Callback<Result<std::optional<StoredRow>>> done) = 0;
  // One transaction that finds (FOR SHARE) current == generation. Idempotent: a row that is there
  // with the same id is fine.
  virtual void Insert(std::vector<NewRow> rows, Generation generation, Deadline deadline,
                      Callback<Result<InsertReply>> done) = 0;
  // Ascending seq.
  virtual void Range(const RangeRequest& request, Deadline deadline,
                     Callback<Result<std::vector<PlacedMessage>>> done) = 0;
  virtual void AddDeadLetters(std::vector<DeadLetter> letters, Deadline deadline,
                              Callback<Status> done) = 0;
};

}  // namespace minichat::core
