#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "server/base/scheduler.h"
#include "server/core/ports/message_log.h"

namespace minichat::kafka {

// What was read of one partition and is not stored yet: the batch that is out, and what waits
// behind it. Pure bookkeeping, without Kafka.
//
// Threading: confined to the source's thread.
class PartitionBuffer {
 public:
  struct Limits {
    std::size_t batch_records;
    std::size_t batch_bytes;
    std::size_t buffer_records;
    std::size_t buffer_bytes;
    Duration first_retry;
    Duration max_retry;
  };

  explicit PartitionBuffer(const Limits& limits) : limits_(limits), retry_(limits.first_retry) {}

  void Add(core::ConsumedRecord record, std::size_t bytes) {
    waiting_bytes_ += bytes;
    waiting_.push_back({std::move(record), bytes});
  }

  // The next batch to hand out; empty: one is out, it is too early to try again, or there is none.
  std::vector<core::ConsumedRecord> Next(TimePoint now) {
    if (out_ || now < not_before_) return {};
    if (batch_.empty()) FillBatch();
    out_ = !batch_.empty();
    return batch_;
  }

  // The batch that was out is stored: the offset to go on from.
  std::int64_t OnStored() {
    const std::int64_t next = batch_.back().offset + 1;
    batch_.clear();
    out_ = false;
    retry_ = limits_.first_retry;
    return next;
  }

  // The same batch comes again, after a pause that grows.
  void OnFailed(TimePoint now) {
    out_ = false;
    not_before_ = now + retry_;
    retry_ = std::min(2 * retry_, limits_.max_retry);
  }

  bool out() const { return out_; }
  bool IsFull() const {
    return waiting_.size() >= limits_.buffer_records || waiting_bytes_ >= limits_.buffer_bytes;
  }
  bool IsHalfEmpty() const {
    return waiting_.size() <= limits_.buffer_records / 2 &&
           waiting_bytes_ <= limits_.buffer_bytes / 2;
  }

 private:
  struct Entry {
    core::ConsumedRecord record;
    std::size_t bytes;
  };

  // At least one record, however large.
  void FillBatch() {
    std::size_t bytes = 0;
    while (!waiting_.empty() && batch_.size() < limits_.batch_records) {
      Entry& first = waiting_.front();
      if (!batch_.empty() && bytes + first.bytes > limits_.batch_bytes) break;
      bytes += first.bytes;
      waiting_bytes_ -= first.bytes;
      batch_.push_back(std::move(first.record));
      waiting_.pop_front();
    }
  }

  const Limits limits_;
  std::vector<core::ConsumedRecord> batch_;  // kept until it is stored
  bool out_ = false;
  TimePoint not_before_{};
  Duration retry_;
  std::deque<Entry> waiting_;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace minichat::kafka
