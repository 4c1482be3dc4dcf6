#include "storage/kafka/kafka_admin.h"

#include <utility>
#include <vector>

#include "storage/kafka/kafka_handles.h"

namespace minichat::kafka {
namespace {

using TopicConfig = std::vector<std::pair<std::string, std::string>>;

int Millis(Duration duration) {
  return static_cast<int>(duration / std::chrono::milliseconds(1));
}

// Without these the log is another one: the persister judges a record's age by the broker's clock,
// and a compacted topic forgets messages.
TopicConfig NeededConfig() {
  return {{"message.timestamp.type", "LogAppendTime"}, {"cleanup.policy", "delete"}};
}

TopicConfig ConfigOf(const TopicSpec& spec) {
  TopicConfig config = NeededConfig();
  config.emplace_back("retention.ms",
                      std::to_string(spec.retention / std::chrono::milliseconds(1)));
  config.emplace_back("max.message.bytes", "1048576");
  return config;
}

Status ToStatus(rd_kafka_resp_err_t error, const std::string& what) {
  const std::string text = "kafka: " + what + ": " + rd_kafka_err2str(error);
  if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return NotFound(text);
  return Unavailable(text);
}

}  // namespace

struct KafkaAdmin::Impl {
  Status Connect();
  Result<EventHandle> Await(rd_kafka_queue_t* queue, const std::string& what);
  Status CheckPartitions(const TopicSpec& spec);
  Status CheckConfig(const TopicSpec& spec);

  std::string brokers;
  Duration limit;
  ClientHandle client;
};

Status KafkaAdmin::Impl::Connect() {
  if (client) return {};
  auto conf = MakeConf({{"bootstrap.servers", brokers},
                        {"client.id", "minichat"},
                        {"allow.auto.create.topics", "false"},
                        {"reconnect.backoff.max.ms", "1000"}});
  if (!conf.ok()) return conf.status();
  auto made = MakeClient(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!made.ok()) return made.status();
  client = std::move(*made);
  return {};
}

Result<EventHandle> KafkaAdmin::Impl::Await(rd_kafka_queue_t* queue, const std::string& what) {
  EventHandle event(rd_kafka_queue_poll(queue, Millis(limit)));
  if (!event) return Unavailable("kafka: " + what + ": no answer");
  if (const auto error = rd_kafka_event_error(event.get())) return ToStatus(error, what);
  return event;
}

Status KafkaAdmin::Impl::CheckPartitions(const TopicSpec& spec) {
  const TopicHandle topic(rd_kafka_topic_new(client.get(), spec.name.c_str(), nullptr));
  const rd_kafka_metadata_t* raw = nullptr;
  const auto error = rd_kafka_metadata(client.get(), 0, topic.get(), &raw, Millis(limit));
  const MetadataHandle metadata(raw);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return ToStatus(error, "metadata");
  const rd_kafka_metadata_topic_t& found = metadata->topics[0];
  if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) return ToStatus(found.err, "topic " + spec.name);
  if (found.partition_cnt == spec.partitions) return {};
  return FailedPrecondition("kafka: topic " + spec.name + ": has " +
                            std::to_string(found.partition_cnt) + " partitions, expected " +
                            std::to_string(spec.partitions));
}

Status KafkaAdmin::Impl::CheckConfig(const TopicSpec& spec) {
  const ConfigResourceHandle resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, spec.name.c_str()));
  rd_kafka_ConfigResource_t* resources[] = {resource.get()};
  const QueueHandle queue(rd_kafka_queue_new(client.get()));
  rd_kafka_DescribeConfigs(client.get(), resources, 1, nullptr, queue.get());
  auto event = Await(queue.get(), "describe topic");
  if (!event.ok()) return event.status();

  std::size_t count = 0;
  const auto* result = rd_kafka_event_DescribeConfigs_result(event->get());
  const auto** described = rd_kafka_DescribeConfigs_result_resources(result, &count);
  if (count != 1) return Unavailable("kafka: describe topic: no answer for it");
  if (const auto error = rd_kafka_ConfigResource_error(described[0])) {
    return ToStatus(error, "describe topic");
  }
  const auto** entries = rd_kafka_ConfigResource_configs(described[0], &count);
  for (const auto& [name, wanted] : NeededConfig()) {
    for (std::size_t i = 0; i < count; ++i) {
      if (rd_kafka_ConfigEntry_name(entries[i]) != name) continue;
      const char* value = rd_kafka_ConfigEntry_value(entries[i]);
      if (value != nullptr && wanted == value) continue;
      return FailedPrecondition("kafka: topic " + spec.name + ": " + name + " must be " + wanted);
    }
  }
  return {};
}

KafkaAdmin::KafkaAdmin(std::string brokers, Duration limit)
    : impl_(std::make_unique<Impl>(Impl{std::move(brokers), limit, nullptr})) {}

KafkaAdmin::~KafkaAdmin() = default;

Status KafkaAdmin::CreateTopic(const TopicSpec& spec) {
  if (Status status = impl_->Connect(); !status.ok()) return status;
  char error[512];
  const NewTopicHandle topic(rd_kafka_NewTopic_new(spec.name.c_str(), spec.partitions,
                                                   spec.replicas, error, sizeof error));
  if (!topic) return InvalidArgument(std::string("kafka: topic: ") + error);
  for (const auto& [name, value] : ConfigOf(spec)) {
    rd_kafka_NewTopic_set_config(topic.get(), name.c_str(), value.c_str());
  }
  rd_kafka_NewTopic_t* topics[] = {topic.get()};
  const QueueHandle queue(rd_kafka_queue_new(impl_->client.get()));
  rd_kafka_CreateTopics(impl_->client.get(), topics, 1, nullptr, queue.get());
  auto event = impl_->Await(queue.get(), "create topic");
  if (!event.ok()) return event.status();

  std::size_t count = 0;
  const auto* result = rd_kafka_event_CreateTopics_result(event->get());
  const auto** results = rd_kafka_CreateTopics_result_topics(result, &count);
  const auto code = rd_kafka_topic_result_error(results[0]);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    return {};
  }
  return ToStatus(code, "create topic " + spec.name);
}

Status KafkaAdmin::CheckTopic(const TopicSpec& spec) {
  if (Status status = impl_->Connect(); !status.ok()) return status;
  if (Status status = impl_->CheckPartitions(spec); !status.ok()) return status;
  return impl_->CheckConfig(spec);
}

}  // namespace minichat::kafka
