#include "server/app/backends.h"

#include <utility>

#include "server/app/config_values.h"
#include "storage/kafka/kafka_admin.h"
#include "storage/kafka/kafka_log.h"
#include "storage/kafka/kafka_source.h"
#include "storage/kafka/kafka_url.h"
#include "storage/memory/memory_directory.h"
#include "storage/memory/memory_log.h"
#include "storage/memory/memory_room_store.h"
#include "storage/memory/memory_store.h"
#include "storage/postgres/postgres_client.h"
#include "storage/postgres/postgres_room_store.h"
#include "storage/postgres/postgres_store.h"
#include "storage/redis/redis_directory.h"
#include "storage/redis/redis_url.h"

namespace minichat::app {

core::DirectoryLimits DirectoryLimitsOf(const AppConfig& config) {
  core::DirectoryLimits limits;
  limits.dedup_ttl = config.dedup_ttl;
  limits.room_ttl = config.rooms_idle_ttl;
  return limits;
}

bool Standalone(const AppConfig& config) {
  return InMemory(config.directory_url);
}

Backends::Backends(const AppConfig& config, AsioScheduler& scheduler, MetricsRegistry& metrics)
    : config_(config), scheduler_(scheduler), metrics_(metrics) {}

Backends::~Backends() = default;

Status Backends::Start() {
  Status status = MakeDirectory();
  if (status.ok()) status = MakeStore();
  return status.ok() ? MakeLog() : status;
}

void Backends::Stop(Duration limit) {
  stop_log_(limit);
  if (postgres_) postgres_->Stop();
}

Status Backends::MakeDirectory() {
  if (InMemory(config_.directory_url)) {
    directory_ = std::make_unique<memory::MemoryDirectory>(scheduler_, DirectoryLimitsOf(config_));
    return {};
  }
  const auto address = redis::ParseRedisUrl(config_.directory_url);
  if (!address.ok()) return InvalidArgument("directory: " + address.status().message());
  redis::RedisOptions options;
  options.url = config_.directory_url;
  options.limits = DirectoryLimitsOf(config_);
  directory_ = std::make_unique<redis::RedisDirectory>(scheduler_, std::move(options), metrics_);
  return {};
}

Status Backends::MakeStore() {
  if (InMemory(config_.store_url)) {
    memory::StoreLimits limits;
    if (!InMemory(config_.directory_url)) limits.current = 1;  // only under lab.enabled
    store_ = std::make_unique<memory::MemoryStore>(scheduler_, limits);
    room_store_ = std::make_unique<memory::MemoryRoomStore>(scheduler_);
    return {};
  }
  postgres::PostgresOptions options;
  options.url = config_.store_url;
  postgres_ = std::make_unique<postgres::PostgresClient>(std::move(options), scheduler_, metrics_);
  const Status status = postgres_->Start();
  store_ = std::make_unique<postgres::PostgresStore>(*postgres_, kafka::TopicSpec().name);
  room_store_ = std::make_unique<postgres::PostgresRoomStore>(*postgres_);
  return status;
}

Status Backends::MakeLog() {
  if (InMemory(config_.log_url)) {
    const auto log = std::make_shared<memory::MemoryLog>(scheduler_);
    log_ = log;
    source_ = log;
    return {};
  }
  const Result<std::string> brokers = kafka::ParseKafkaUrl(config_.log_url);
  if (!brokers.ok()) return InvalidArgument("log: " + brokers.status().message());
  kafka::KafkaLogOptions options;
  options.brokers = *brokers;
  const auto log = std::make_shared<kafka::KafkaLog>(options, scheduler_, metrics_);
  log_ = log;
  stop_log_ = [log](Duration limit) { log->Stop(limit); };
  if (config_.HasRole("persister")) {
    kafka::KafkaSourceOptions source;
    source.brokers = *brokers;
    source_ = std::make_shared<kafka::KafkaSource>(source, scheduler_, metrics_);
  }
  return log->Start();
}

}  // namespace minichat::app
