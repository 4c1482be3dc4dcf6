#include "storage/memory/log_state.h"

#include <algorithm>

#include "server/base/check.h"

namespace minichat::memory {

LogState::LogState(std::int32_t partitions) : logs_(static_cast<std::size_t>(partitions)) {
  CHECK(partitions > 0);
}

std::int32_t LogState::PartitionOf(const core::RoomId& room) const {
  return static_cast<std::int32_t>(std::hash<core::RoomId>()(room) % logs_.size());
}

std::int64_t LogState::Append(std::int64_t now_ms, const core::LogRecord& record) {
  Partition& log = logs_[static_cast<std::size_t>(PartitionOf(record.message->room))];
  core::ConsumedRecord entry;
  entry.offset = log.offset + static_cast<std::int64_t>(log.records.size());
  entry.written_at_ms = now_ms;
  entry.message = record.message;
  entry.attempt = record.attempt;
  log.records.push_back(entry);
  return entry.offset;
}

std::vector<core::ConsumedRecord> LogState::Read(std::int32_t partition, std::size_t limit) const {
  const auto& records = At(partition).records;
  const std::size_t count = std::min(limit, records.size());
  return {records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count)};
}

void LogState::MoveOffset(std::int32_t partition, std::int64_t offset) {
  Partition& log = logs_.at(static_cast<std::size_t>(partition));
  while (log.offset < offset && !log.records.empty()) {
    log.records.pop_front();
    ++log.offset;
  }
}

std::size_t LogState::waiting() const {
  std::size_t sum = 0;
  for (const Partition& log : logs_) sum += log.records.size();
  return sum;
}

}  // namespace minichat::memory
