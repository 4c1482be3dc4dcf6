#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "server/core/ports/message_log.h"

namespace minichat::memory {

// Partitions, records and the consumers' offsets of a log, as a pure state machine.
//
// Threading: thread-compatible.
// Limits:    holds what has not been consumed; the caller bounds that by waiting().
class LogState {
 public:
  explicit LogState(std::int32_t partitions);

  std::int32_t partitions() const { return static_cast<std::int32_t>(logs_.size()); }
  // A room's records are in one partition.
  std::int32_t PartitionOf(const core::RoomId& room) const;

  // Answers the record's offset in its partition.
  std::int64_t Append(std::int64_t now_ms, const core::LogRecord& record);
  // The first records from the consumers' offset on; none: all is consumed.
  std::vector<core::ConsumedRecord> Read(std::int32_t partition, std::size_t limit) const;
  // Records below `offset` are consumed and dropped. An offset that was passed changes nothing.
  void MoveOffset(std::int32_t partition, std::int64_t offset);

  std::int64_t offset(std::int32_t partition) const { return At(partition).offset; }
  std::size_t waiting(std::int32_t partition) const { return At(partition).records.size(); }
  std::size_t waiting() const;

 private:
  struct Partition {
    std::int64_t offset = 0;  // of the first record that is not consumed
    std::deque<core::ConsumedRecord> records;
  };

  const Partition& At(std::int32_t partition) const {
    return logs_.at(static_cast<std::size_t>(partition));
  }

  std::vector<Partition> logs_;
};

}  // namespace minichat::memory
