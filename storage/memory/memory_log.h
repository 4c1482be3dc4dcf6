#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/memory/log_state.h"

namespace minichat::memory {

struct MemoryLogOptions {
  std::int32_t partitions = 12;
  std::size_t max_waiting = 100'000;  // records that are not stored yet; above: ResourceExhausted
  std::size_t batch = 500;
  Duration pause = std::chrono::milliseconds(200);  // before a batch that failed comes again
};

// The log of a single process, lost at its end, and its only consumer's source.
//
// Lifetime:  as MessageLog and LogSource; callbacks that come after its end do nothing.
// Threading: confined to the scheduler's thread.
// Limits:    MemoryLogOptions; records that were stored are dropped.
class MemoryLog final : public core::MessageLog, public core::LogSource {
 public:
  explicit MemoryLog(Scheduler& scheduler, MemoryLogOptions options = {});
  ~MemoryLog() override;

  bool available() const override { return true; }
  void Append(const core::LogRecord& record, Callback<Status> done) override;

  void Start(core::LogConsumer& consumer) override;
  void Stop() override;

  const LogState& state() const;

 private:
  struct Core;
  static void Feed(const std::shared_ptr<Core>& core, std::int32_t partition);
  static void OnStored(const std::shared_ptr<Core>& core, std::int32_t partition,
                       std::int64_t next_offset, const Status& status);

  const std::shared_ptr<Core> core_;  // shared with callbacks under way, which may outlive this
};

}  // namespace minichat::memory
