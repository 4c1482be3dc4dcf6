#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <librdkafka/rdkafka.h>

#include "server/base/status.h"

// RAII for librdkafka's C objects. Private to storage/kafka.
namespace minichat::kafka {

template <auto kDestroy>
struct Destroyer {
  template <class T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};
template <class T, auto kDestroy>
using Handle = std::unique_ptr<T, Destroyer<kDestroy>>;

using ConfHandle = Handle<rd_kafka_conf_t, rd_kafka_conf_destroy>;
using ClientHandle = Handle<rd_kafka_t, rd_kafka_destroy>;
using TopicConfHandle = Handle<rd_kafka_topic_conf_t, rd_kafka_topic_conf_destroy>;
using PartitionsHandle =
    Handle<rd_kafka_topic_partition_list_t, rd_kafka_topic_partition_list_destroy>;
using QueueHandle = Handle<rd_kafka_queue_t, rd_kafka_queue_destroy>;
using EventHandle = Handle<rd_kafka_event_t, rd_kafka_event_destroy>;
using ErrorHandle = Handle<rd_kafka_error_t, rd_kafka_error_destroy>;
using MessageHandle = Handle<rd_kafka_message_t, rd_kafka_message_destroy>;
using MetadataHandle = Handle<const rd_kafka_metadata_t, rd_kafka_metadata_destroy>;
using TopicHandle = Handle<rd_kafka_topic_t, rd_kafka_topic_destroy>;
using NewTopicHandle = Handle<rd_kafka_NewTopic_t, rd_kafka_NewTopic_destroy>;
using ConfigResourceHandle = Handle<rd_kafka_ConfigResource_t, rd_kafka_ConfigResource_destroy>;
using AdminOptionsHandle = Handle<rd_kafka_AdminOptions_t, rd_kafka_AdminOptions_destroy>;

using Settings = std::initializer_list<std::pair<const char*, std::string>>;

// A bad name or value is a bug here, or a bad broker list in the configuration.
Result<ConfHandle> MakeConf(Settings settings);
// Takes `conf` over, its callbacks set.
Result<ClientHandle> MakeClient(rd_kafka_type_t type, ConfHandle conf);

// Sends librdkafka's own log lines to ours. Set as the log callback of every client.
void LogLine(const rd_kafka_t* client, int level, const char* facility, const char* text);

}  // namespace minichat::kafka
