#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "server/base/metrics.h"
#include "server/base/scheduler.h"
#include "server/core/ports/message_log.h"

namespace minichat::kafka {

struct KafkaLogOptions {
  std::string brokers;  // "host:port,host:port"
  std::string topic = "minichat.messages";
  std::size_t max_waiting_records = 20'000;
  std::size_t max_waiting_kbytes = 64 * 1024;
  // librdkafka looks for timed-out records once a second, and its answer takes a moment: this and
  // 1.5 s stay within the 10 s that the port promises.
  Duration message_timeout = std::chrono::milliseconds(8'500);
  // 0 sends each record at once: at chat rates the report then comes after 0.3 ms instead of 1.4;
  // under load records are batched anyway, behind the request that is under way.
  Duration linger = std::chrono::milliseconds(0);
};

// The message log on a Kafka topic: an idempotent producer, acks=all, key = room.
//
// Lifetime:  Start() after construction; Stop() on the scheduler's thread or when that has ended.
// Threading: as the port. One own thread waits for delivery reports and hands each batch of them
//            over in one Post().
// Errors:    as the port. A fatal producer error makes a new producer.
// Limits:    KafkaLogOptions; above, ResourceExhausted at once.
class KafkaLog final : public core::MessageLog {
 public:
  KafkaLog(KafkaLogOptions options, Scheduler& scheduler, MetricsRegistry& metrics);
  ~KafkaLog() override;

  // Fails on bad options only; that Kafka is away shows in available().
  Status Start();
  // Sends what waits, for at most `limit`; then no callback runs. Idempotent.
  void Stop(Duration limit);

  void Append(const core::LogRecord& record, Callback<Status> done) override;
  bool available() const override;

  // The producer reports an error that it can't recover from.
  void FailFatallyForTest();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::kafka
