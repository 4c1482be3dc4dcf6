#include "server/app/migrate.h"

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "server/app/config_values.h"
#include "storage/kafka/kafka_admin.h"
#include "storage/kafka/kafka_url.h"
#include "storage/postgres/postgres_migrator.h"

namespace minichat::app {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr auto kPatience = seconds(60);  // with a service that is only just starting
constexpr auto kPause = seconds(1);

// Again while the service is away, for kPatience.
Status Retry(const std::string& what, const std::function<Status()>& attempt) {
  const auto end = steady_clock::now() + kPatience;
  for (bool told = false;; told = true) {
    Status status = attempt();
    if (status.code() != StatusCode::kUnavailable || steady_clock::now() > end) return status;
    if (!told)
      std::cerr << "minichat: " << what << " is away, waiting: " << status.message() << "\n";
    std::this_thread::sleep_for(kPause);
  }
}

Status MigrateLog(const std::string& url) {
  const Result<std::string> brokers = kafka::ParseKafkaUrl(url);
  if (!brokers.ok()) return InvalidArgument("log: " + brokers.status().message());
  const kafka::TopicSpec topic;
  const Status status =
      Retry("kafka", [&] { return kafka::KafkaAdmin(*brokers).CreateTopic(topic); });
  if (status.ok()) std::cout << "kafka: topic " << topic.name << " is there\n";
  return status;
}

Status MigrateStore(const std::string& url) {
  int version = 0;
  const Status status = Retry("postgres", [&]() -> Status {
    const Result<int> reached = postgres::PostgresMigrator(url).Migrate();
    if (reached.ok()) version = *reached;
    return reached.status();
  });
  if (status.ok()) std::cout << "postgres: schema version " << version << "\n";
  return status;
}

}  // namespace

Status Migrate(const AppConfig& config) {
  const bool log = !InMemory(config.log_url);
  const bool store = !InMemory(config.store_url);
  if (!log && !store) {
    std::cout << "log and store are in memory; there is nothing to prepare\n";
    return {};
  }
  Status status;
  if (log) status = MigrateLog(config.log_url);
  if (status.ok() && store) status = MigrateStore(config.store_url);
  return status;
}

}  // namespace minichat::app
