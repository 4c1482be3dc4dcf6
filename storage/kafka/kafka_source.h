#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/core/ports/message_log.h"

namespace minichat::kafka {

struct KafkaSourceOptions {
  std::string brokers;  // "host:port,host:port"
  std::string topic = "minichat.messages";
  std::string group = "minichat.persister";
  // A dead node's partitions move after this; Kafka's brokers refuse less than 6 s by default.
  Duration session_timeout = std::chrono::seconds(6);
  std::size_t batch_records = 500;
  std::size_t batch_bytes = 1 << 20;
  // Records that wait behind a partition's batch; above, the partition is paused.
  std::size_t buffer_records = 2'000;
  std::size_t buffer_bytes = 4 << 20;
  Duration first_retry = std::chrono::milliseconds(100);  // doubles up to max_retry
  Duration max_retry = std::chrono::seconds(5);
  Duration stop_limit = std::chrono::seconds(3);  // for leaving the group
};

// The log's records through a Kafka consumer group. A batch that fails is kept here and given
// again, without asking Kafka for it; its partition waits, the others go on.
//
// Groups are balanced eagerly: at a change all members give up all partitions for a moment. That
// costs less than a second and keeps one rule: what was taken away is dropped, what is assigned
// starts at its committed offset. Membership is dynamic: a static member that leaves would keep
// its partitions unread until the session's timeout.
//
// Lifetime:  as the port; Stop() on the scheduler's thread or when that has ended. It waits for
//            the group, for stop_limit at most.
// Threading: as the port. One own thread talks to Kafka, parses, and posts batches.
// Errors:    Kafka away: nothing comes until it is back.
// Limits:    KafkaSourceOptions, per assigned partition.
class KafkaSource final : public core::LogSource {
 public:
  KafkaSource(KafkaSourceOptions options, Scheduler& scheduler, MetricsRegistry& metrics);
  ~KafkaSource() override;

  void Start(core::LogConsumer& consumer) override;
  void Stop() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::kafka
