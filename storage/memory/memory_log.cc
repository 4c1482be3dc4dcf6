#include "storage/memory/memory_log.h"

#include <utility>

#include "server/base/check.h"

namespace minichat::memory {

struct MemoryLog::Core {
  Core(Scheduler& on, const MemoryLogOptions& with)
      : scheduler(on),
        options(with),
        log(with.partitions),
        busy(static_cast<std::size_t>(with.partitions)) {}

  Scheduler& scheduler;
  const MemoryLogOptions options;
  LogState log;
  core::LogConsumer* consumer = nullptr;
  std::uint64_t run = 0;   // counts Start() and Stop(): answers of an earlier run are ignored
  std::vector<bool> busy;  // by partition: a batch, or the pause after it, is under way
};

MemoryLog::MemoryLog(Scheduler& scheduler, MemoryLogOptions options)
    : core_(std::make_shared<Core>(scheduler, options)) {}

MemoryLog::~MemoryLog() {
  Stop();
}

const LogState& MemoryLog::state() const {
  return core_->log;
}

void MemoryLog::Append(const core::LogRecord& record, Callback<Status> done) {
  Status status;
  if (core_->log.waiting() >= core_->options.max_waiting) {
    status = ResourceExhausted("memory log: too many records wait to be stored");
  } else {
    core_->log.Append(core_->scheduler.WallMillis(), record);
  }
  core_->scheduler.Post([done = std::move(done), status] { done(status); });
  if (status.ok()) Feed(core_, core_->log.PartitionOf(record.message->room));
}

void MemoryLog::Start(core::LogConsumer& consumer) {
  CHECK(core_->consumer == nullptr);
  core_->consumer = &consumer;
  ++core_->run;
  for (std::int32_t p = 0; p < core_->log.partitions(); ++p) Feed(core_, p);
}

void MemoryLog::Stop() {
  core_->consumer = nullptr;
  ++core_->run;
  core_->busy.assign(core_->busy.size(), false);
}

// Hands the partition's next batch to the consumer in a later turn, so that records which are
// appended in one turn go together.
void MemoryLog::Feed(const std::shared_ptr<Core>& core, std::int32_t partition) {
  const auto slot = static_cast<std::size_t>(partition);
  if (core->consumer == nullptr || core->busy[slot] || core->log.waiting(partition) == 0) return;
  core->busy[slot] = true;
  core->scheduler.Post([core, partition, run = core->run] {
    if (core->run != run) return;
    core::LogBatch batch{partition, core->log.Read(partition, core->options.batch)};
    const std::int64_t next = batch.records.back().offset + 1;
    core->consumer->OnBatch(std::move(batch), [core, partition, next, run](const Status& status) {
      if (core->run == run) OnStored(core, partition, next, status);
    });
  });
}

void MemoryLog::OnStored(const std::shared_ptr<Core>& core, std::int32_t partition,
                         std::int64_t next_offset, const Status& status) {
  const auto resume = [core, partition, run = core->run] {
    if (core->run != run) return;
    core->busy[static_cast<std::size_t>(partition)] = false;
    Feed(core, partition);
  };
  if (status.ok()) {
    core->log.MoveOffset(partition, next_offset);
    resume();
  } else {
    core->scheduler.RunAfter(core->options.pause, resume);
  }
}

}  // namespace minichat::memory
