#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/core/ports/message_log.h"
#include "storage/memory/log_state.h"
#include "tests/sim/timeline.h"

namespace minichat::sim {

class SimNode;
class SimScheduler;
class SimWorld;

// A Kafka cluster: the log, which node owns which partition, and the ways in which it can be away.
class SimKafka {
 public:
  enum class Mode { kOk, kSlow, kUnknown, kDown };

  SimKafka(SimWorld& world, std::int32_t partitions);

  // Moves partitions between the living nodes, for ever.
  void StartCoordinator();

  void Fail(Mode mode, double seconds);
  Mode mode() const { return mode_; }
  double mode_end() const { return mode_end_; }
  void SetLag(bool lag) { lag_ = lag; }
  bool lag() const { return lag_; }

  memory::LogState& log() { return log_; }
  const memory::LogState& log() const { return log_; }
  const SimNode* owner(std::int32_t partition) const { return At(partition).owner; }
  std::uint64_t ownership(std::int32_t partition) const { return At(partition).ownership; }
  // A record is in the log: acks may follow.
  void NoteLogged(const core::MessageId& id) { logged_.insert(id); }
  bool WasLogged(const core::MessageId& id) const { return logged_.contains(id); }

 private:
  struct Partition {
    SimNode* owner = nullptr;
    std::uint64_t ownership = 0;  // counts the changes
    double owner_hangs_for = 0;
  };
  const Partition& At(std::int32_t p) const { return partitions_.at(static_cast<std::size_t>(p)); }
  void Balance();

  SimWorld& world_;
  memory::LogState log_;
  std::vector<Partition> partitions_;
  std::set<core::MessageId> logged_;
  Mode mode_ = Mode::kOk;
  double mode_end_ = 0;
  bool lag_ = false;
};

// A node's producer and consumer. The append and its report are two events; what the node has not
// yet got out dies with it.
class SimLog final : public core::MessageLog, public core::LogSource {
 public:
  SimLog(SimWorld& world, SimNode& node, SimScheduler& scheduler);

  void Append(const core::LogRecord& record, Callback<Status> done) override;
  bool available() const override;
  void Start(core::LogConsumer& consumer) override;
  void Stop() override { consumer_ = nullptr; }

 private:
  // When the record reaches the log, and when its producer hears of it; none: never.
  struct Fate {
    std::optional<double> appended;
    std::optional<double> reported;
  };
  Fate DecideFate();
  void AppendNow(const core::LogRecord& record);
  void Poll(std::int32_t partition);
  void Hand(std::int32_t partition);
  void OnStored(std::int32_t partition, std::uint64_t ownership, std::int64_t from,
                std::int64_t next);

  SimWorld& world_;
  SimNode& node_;
  SimScheduler& scheduler_;
  core::LogConsumer* consumer_ = nullptr;
  std::map<core::RoomId, double> last_append_;  // records of a room keep their order
};

}  // namespace minichat::sim
