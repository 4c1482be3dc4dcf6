#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/base/status.h"

namespace minichat::loadtest {

// Where each partition of the log ends: the offset that the next record will get.
using LogOffsets = std::map<std::int32_t, std::int64_t>;

// A record of the log, read from outside the product.
struct LogEntry {
  std::string id;  // empty when the record is no message
  std::string room;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

// Looks at the topic of messages, without a consumer group.
//
// Threading: thread-compatible. Calls block for at most `limit`.
class KafkaInspector {
 public:
  explicit KafkaInspector(std::string bootstrap, std::string topic = "minichat.messages");
  ~KafkaInspector();

  Result<LogOffsets> Ends(std::chrono::milliseconds limit = std::chrono::seconds(10));
  // All records from `begin` up to (not with) `end`.
  Result<std::vector<LogEntry>> Read(const LogOffsets& begin, const LogOffsets& end,
                                     std::chrono::milliseconds limit = std::chrono::seconds(30));
  // Appends a record as it is: for putting garbage on the topic.
  Status Append(const std::string& key, const std::string& value,
                std::chrono::milliseconds limit = std::chrono::seconds(10));
  // A record with no value at all.
  Status AppendNull(const std::string& key,
                    std::chrono::milliseconds limit = std::chrono::seconds(10));

 private:
  struct Handles;
  Status Produce(const std::string& key, const std::string* value, std::chrono::milliseconds limit);

  const std::string bootstrap_;
  const std::string topic_;
  std::unique_ptr<Handles> handles_;
};

// Sum of the differences.
std::int64_t Increase(const LogOffsets& before, const LogOffsets& after);

}  // namespace minichat::loadtest
