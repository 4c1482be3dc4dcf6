#pragma once

#include <memory>
#include <string>

#include "server/base/scheduler.h"
#include "server/base/status.h"

namespace minichat::kafka {

// The topic as the log needs it. The number of partitions never changes: a room would change its
// partition, and with it the order of its records.
struct TopicSpec {
  std::string name = "minichat.messages";
  int partitions = 12;
  int replicas = 1;
  Duration retention = std::chrono::hours(7 * 24);
};

// Makes the topic and compares it with what is expected. For `minichat migrate` and start-up.
//
// Lifetime:  any. Threading: thread-compatible; blocks, up to `limit`.
// Errors:    Unavailable: Kafka is away. FailedPrecondition: the topic is another one.
class KafkaAdmin {
 public:
  explicit KafkaAdmin(std::string brokers, Duration limit = std::chrono::seconds(10));
  ~KafkaAdmin();

  // OK as well when it is there; it is not changed then.
  Status CreateTopic(const TopicSpec& spec);
  // NotFound when there is none.
  Status CheckTopic(const TopicSpec& spec);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::kafka
