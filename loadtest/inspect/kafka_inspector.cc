#include "loadtest/inspect/kafka_inspector.h"

#include <array>
#include <utility>

#include <librdkafka/rdkafka.h>

#include "minichat/v1/event.pb.h"
#include "server/core/ids.h"

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

struct KafkaDeleter {
  void operator()(rd_kafka_t* kafka) const { rd_kafka_destroy(kafka); }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
  void operator()(const rd_kafka_metadata_t* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
};
template <class T>
using Handle = std::unique_ptr<T, KafkaDeleter>;

Status KafkaError(const std::string& what, rd_kafka_resp_err_t error) {
  return Unavailable("kafka: " + what + ": " + rd_kafka_err2str(error));
}

Handle<rd_kafka_t> MakeClient(rd_kafka_type_t type, const std::string& bootstrap,
                              std::string* error) {
  std::array<char, 512> text{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  const std::pair<const char*, std::string> settings[] = {
      {"bootstrap.servers", bootstrap},
      {"group.id", "minichat-inspector"},
      {"enable.auto.commit", "false"},
      {"enable.partition.eof", "true"},
      {"auto.offset.reset", "earliest"},
      {"allow.auto.create.topics", "false"},
      {"log_level", "2"},
  };
  for (const auto& [name, value] : settings) {
    const bool consumer_only =
        std::string(name) != "bootstrap.servers" && std::string(name) != "log_level";
    if (type == RD_KAFKA_PRODUCER && consumer_only) continue;
    rd_kafka_conf_set(conf, name, value.c_str(), text.data(), text.size());
  }
  Handle<rd_kafka_t> kafka(rd_kafka_new(type, conf, text.data(), text.size()));
  if (!kafka) {
    rd_kafka_conf_destroy(conf);
    *error = text.data();
  } else if (type == RD_KAFKA_CONSUMER) {
    rd_kafka_poll_set_consumer(kafka.get());
  }
  return kafka;
}

LogEntry Decode(const rd_kafka_message_t& record) {
  LogEntry entry;
  entry.partition = record.partition;
  entry.offset = record.offset;
  v1::Message message;
  core::MessageId id;
  if (message.ParseFromArray(record.payload, static_cast<int>(record.len)) &&
      core::MessageId::FromBytes(message.id(), &id)) {
    entry.id = id.ToText();
    entry.room = message.room();
  }
  return entry;
}

}  // namespace

struct KafkaInspector::Handles {
  std::string error;
  Handle<rd_kafka_t> consumer;
};

KafkaInspector::KafkaInspector(std::string bootstrap, std::string topic)
    : bootstrap_(std::move(bootstrap)),
      topic_(std::move(topic)),
      handles_(std::make_unique<Handles>()) {
  handles_->consumer = MakeClient(RD_KAFKA_CONSUMER, bootstrap_, &handles_->error);
}

KafkaInspector::~KafkaInspector() = default;

Result<LogOffsets> KafkaInspector::Ends(milliseconds limit) {
  rd_kafka_t* kafka = handles_->consumer.get();
  if (kafka == nullptr) return Internal("kafka: " + handles_->error);
  const Handle<rd_kafka_topic_t> topic(rd_kafka_topic_new(kafka, topic_.c_str(), nullptr));
  const rd_kafka_metadata_t* raw = nullptr;
  const int wait = static_cast<int>(limit.count());
  auto error = rd_kafka_metadata(kafka, 0, topic.get(), &raw, wait);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return KafkaError("metadata", error);
  const Handle<const rd_kafka_metadata_t> metadata(raw);
  LogOffsets ends;
  for (int i = 0; i < metadata->topics[0].partition_cnt; ++i) {
    const std::int32_t partition = metadata->topics[0].partitions[i].id;
    std::int64_t low = 0, high = 0;
    error = rd_kafka_query_watermark_offsets(kafka, topic_.c_str(), partition, &low, &high, wait);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return KafkaError("watermarks", error);
    ends[partition] = high;
  }
  if (ends.empty()) return NotFound("kafka: no topic " + topic_);
  return ends;
}

Result<std::vector<LogEntry>> KafkaInspector::Read(const LogOffsets& begin, const LogOffsets& end,
                                                   milliseconds limit) {
  rd_kafka_t* kafka = handles_->consumer.get();
  if (kafka == nullptr) return Internal("kafka: " + handles_->error);
  const Handle<rd_kafka_topic_partition_list_t> parts(rd_kafka_topic_partition_list_new(16));
  std::int64_t expected = 0;
  for (const auto& [partition, stop] : end) {
    const auto from = begin.find(partition);
    const std::int64_t start = from == begin.end() ? 0 : from->second;
    if (stop <= start) continue;
    expected += stop - start;
    rd_kafka_topic_partition_list_add(parts.get(), topic_.c_str(), partition)->offset = start;
  }
  rd_kafka_assign(kafka, parts.get());
  std::vector<LogEntry> entries;
  const Clock::time_point give_up = Clock::now() + limit;
  while (static_cast<std::int64_t>(entries.size()) < expected && Clock::now() < give_up) {
    const Handle<rd_kafka_message_t> record(rd_kafka_consumer_poll(kafka, 100));
    if (!record || record->err != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    if (record->offset < end.at(record->partition)) entries.push_back(Decode(*record));
  }
  rd_kafka_assign(kafka, nullptr);
  if (static_cast<std::int64_t>(entries.size()) < expected) {
    return DeadlineExceeded("kafka: read " + std::to_string(entries.size()) + " of " +
                            std::to_string(expected) + " records");
  }
  return entries;
}

Status KafkaInspector::Append(const std::string& key, const std::string& value,
                              milliseconds limit) {
  return Produce(key, &value, limit);
}

Status KafkaInspector::AppendNull(const std::string& key, milliseconds limit) {
  return Produce(key, nullptr, limit);
}

Status KafkaInspector::Produce(const std::string& key, const std::string* value,
                               milliseconds limit) {
  std::string problem;
  const Handle<rd_kafka_t> producer = MakeClient(RD_KAFKA_PRODUCER, bootstrap_, &problem);
  if (!producer) return Internal("kafka: " + problem);
  const Handle<rd_kafka_topic_t> topic(rd_kafka_topic_new(producer.get(), topic_.c_str(), nullptr));
  std::string copy = value == nullptr ? std::string() : *value;
  const int produced = rd_kafka_produce(topic.get(), RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY,
                                        value == nullptr ? nullptr : copy.data(), copy.size(),
                                        key.data(), key.size(), nullptr);
  if (produced != 0) return KafkaError("produce", rd_kafka_last_error());
  const auto flushed = rd_kafka_flush(producer.get(), static_cast<int>(limit.count()));
  return flushed == RD_KAFKA_RESP_ERR_NO_ERROR ? Status() : KafkaError("flush", flushed);
}

std::int64_t Increase(const LogOffsets& before, const LogOffsets& after) {
  std::int64_t sum = 0;
  for (const auto& [partition, end] : after) {
    const auto it = before.find(partition);
    sum += end - (it == before.end() ? 0 : it->second);
  }
  return sum;
}

}  // namespace minichat::loadtest
