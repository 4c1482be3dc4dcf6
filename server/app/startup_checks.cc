#include "server/app/startup_checks.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "server/app/config_values.h"
#include "server/base/log.h"
#include "storage/kafka/kafka_admin.h"
#include "storage/kafka/kafka_url.h"
#include "storage/postgres/postgres_migrator.h"

namespace minichat::app {
namespace {

using std::chrono::seconds;

constexpr Duration kKafkaLimit = seconds(2);
constexpr auto kFirstPause = seconds(1);
constexpr auto kLongestPause = seconds(10);

struct Check {
  std::string name;
  std::function<Status()> look;
};

Status CheckTopic(const std::string& url) {
  const Result<std::string> brokers = kafka::ParseKafkaUrl(url);
  if (!brokers.ok()) return brokers.status();
  return kafka::KafkaAdmin(*brokers, kKafkaLimit).CheckTopic(kafka::TopicSpec());
}

}  // namespace

struct StartupChecks::State {
  explicit State(Scheduler& s) : scheduler(s) {}

  void Run(const std::shared_ptr<State>& self, const std::stop_token& stop);
  void Succeeded(const std::shared_ptr<State>& self, const std::string& name);

  Scheduler& scheduler;
  std::vector<std::string> lacking;  // confined to the scheduler's thread
  std::vector<Check> checks;         // of the thread, once it runs
  std::mutex mutex;                  // for waking alone
  std::condition_variable_any wake;
  std::jthread thread;
};

void StartupChecks::State::Succeeded(const std::shared_ptr<State>& self, const std::string& name) {
  scheduler.Post([weak = std::weak_ptr(self), name] {
    if (const auto state = weak.lock()) std::erase(state->lacking, name);
  });
}

void StartupChecks::State::Run(const std::shared_ptr<State>& self, const std::stop_token& stop) {
  auto pause = kFirstPause;
  std::map<std::string, std::string> told;
  while (!checks.empty() && !stop.stop_requested()) {
    std::erase_if(checks, [&](const Check& check) {
      const Status status = check.look();
      if (status.ok()) {
        Succeeded(self, check.name);
      } else if (std::exchange(told[check.name], status.message()) != status.message()) {
        log::Warn("backend_not_as_expected", {{"what", check.name}, {"reason", status.message()}});
      }
      return status.ok();
    });
    std::unique_lock lock(mutex);
    if (!checks.empty()) wake.wait_for(lock, stop, pause, [] { return false; });
    pause = std::min(pause * 2, kLongestPause);
  }
}

StartupChecks::StartupChecks(const AppConfig& config, Scheduler& scheduler)
    : state_(std::make_shared<State>(scheduler)) {
  if (!InMemory(config.log_url)) {
    state_->checks.push_back({"topic", [url = config.log_url] { return CheckTopic(url); }});
  }
  if (!InMemory(config.store_url)) {
    state_->checks.push_back(
        {"schema", [url = config.store_url] { return postgres::PostgresMigrator(url).Check(); }});
  }
  for (const Check& check : state_->checks) state_->lacking.push_back(check.name);
}

StartupChecks::~StartupChecks() {
  state_->thread = {};  // asks it to stop, and joins
}

void StartupChecks::Start() {
  if (state_->checks.empty()) return;
  state_->thread =
      std::jthread([state = state_](const std::stop_token& stop) { state->Run(state, stop); });
}

std::vector<std::string> StartupChecks::lacking() const {
  return state_->lacking;
}

}  // namespace minichat::app
