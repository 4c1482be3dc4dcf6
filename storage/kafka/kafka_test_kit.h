#pragma once

#include <memory>
#include <string>
#include <utility>

#include "storage/contract/asio_runner.h"
#include "storage/contract/harness.h"
#include "storage/kafka/kafka_admin.h"
#include "storage/kafka/kafka_log.h"
#include "storage/kafka/kafka_source.h"
#include "tests/support/scratch_kafka.h"

// For the tests of storage/kafka.
namespace minichat::kafka {

// A KafkaLog on a new topic of a scratch broker, and sources of it.
class KafkaHarness final : public contract::MessageLogHarness {
 public:
  explicit KafkaHarness(test::ScratchKafka& broker, int partitions = 3) : broker_(broker) {
    spec_.name = broker.NewTopicName();
    spec_.partitions = partitions;
    const Status made = KafkaAdmin(broker.brokers()).CreateTopic(spec_);
    EXPECT_EQ(made, Status());
    log_ = std::make_unique<KafkaLog>(LogOptions(), scheduler(), metrics);
    EXPECT_EQ(log_->Start(), Status());
  }
  ~KafkaHarness() override { log_->Stop(std::chrono::seconds(1)); }

  Scheduler& scheduler() override { return runner_.scheduler(); }
  bool RunUntil(const std::function<bool()>& condition) override {
    return runner_.RunUntil(condition);
  }
  core::MessageLog& log() override { return *log_; }
  std::unique_ptr<core::LogSource> NewSource() override {
    return std::make_unique<KafkaSource>(SourceOptions(), scheduler(), metrics);
  }

  KafkaLogOptions LogOptions() const {
    KafkaLogOptions options;
    options.brokers = broker_.brokers();
    options.topic = spec_.name;
    return options;
  }
  KafkaSourceOptions SourceOptions() const {
    KafkaSourceOptions options;
    options.brokers = broker_.brokers();
    options.topic = spec_.name;
    options.group = spec_.name;  // topics have names of their own, so groups do
    return options;
  }
  const TopicSpec& spec() const { return spec_; }
  KafkaLog& kafka_log() { return *log_; }

  MetricsRegistry metrics;

 private:
  test::ScratchKafka& broker_;
  TopicSpec spec_;
  contract::AsioRunner runner_;
  std::unique_ptr<KafkaLog> log_;
};

}  // namespace minichat::kafka
