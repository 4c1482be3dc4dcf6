#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/base/status.h"
#include "server/base/task.h"
#include "server/core/message.h"

namespace minichat::core {

// The log in which a message is stored before it has a place. Kafka, or memory.
//
// Lifetime:  outlives the ChatNode; after Stop() no callback runs.
// Threading: called on the core scheduler's thread; callbacks run there, never inside the call.
// Delivery:  at least once. OK means: stored by all in-sync replicas. Records of one room keep the
//            order in which they were appended.
// Errors:    Unavailable = not stored. Unknown = may be stored, now or later; it ends the wait
//            within 10 s of the call, always.
// Limits:    above its bound of waiting records Append() answers ResourceExhausted.
class MessageLog {
 public:
  virtual ~MessageLog() = default;

  virtual void Append(const LogRecord& record, Callback<Status> done) = 0;
  // False when the log is known to be away: sends are then refused at once.
  virtual bool available() const = 0;
};

// One record as the persister reads it.
struct ConsumedRecord {
  std::int64_t offset = 0;
  std::int64_t written_at_ms = 0;  // when the log took it, by the log's clock
  MessagePtr message;              // null: unreadable, see `error` and `raw`
  Attempt attempt = 0;
  std::string error;
  std::string raw;  // only of an unreadable record
};

struct LogBatch {
  std::int32_t partition = 0;
  std::vector<ConsumedRecord> records;  // not empty, ascending offsets
};

// Gets the log's records in batches, one batch of a partition at a time.
class LogConsumer {
 public:
  virtual ~LogConsumer() = default;

  // `done(OK)`: all is stored, the offset moves behind the batch. `done(error)`: the same records
  // come again after a pause. Late answers for a partition that went to another node are ignored.
  virtual void OnBatch(LogBatch batch, Callback<Status> done) = 0;
};

// Where batches come from. Kafka's consumer group, or memory.
//
// Lifetime:  outlives the ChatNode. Threading: as MessageLog.
class LogSource {
 public:
  virtual ~LogSource() = default;

  virtual void Start(LogConsumer& consumer) = 0;
  // No OnBatch() after it returns; offsets of finished batches are written.
  virtual void Stop() = 0;
};

}  // namespace minichat::core
