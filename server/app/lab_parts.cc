#include "server/app/lab_parts.h"

#include <csignal>
#include <limits>

#include "server/app/config_rules.h"
#include "server/base/log.h"

namespace minichat::app {
namespace {

// Tasks between the core's thread and the one that submits them: some seconds of a room of 150 at
// 50 messages a second. Beyond half of it the node refuses sends, so that none has to be dropped.
constexpr std::size_t kHandedOver = 20'000;

relay::CallDeadline DeadlineOf(const AppConfig& config) {
  if (config.lab_deadline == "fixed") return relay::CallDeadline::kFixed;
  return config.lab_deadline == "none" ? relay::CallDeadline::kNone
                                       : relay::CallDeadline::kPropagate;
}

}  // namespace

std::unique_ptr<FedExecutor> MakeLabPool(const AppConfig& config, MetricsRegistry& registry) {
  if (!UsesLabPool(config)) return nullptr;
  ExecutorOptions options;
  options.name = "fanout";
  options.core_threads = config.lab_executor_core;
  options.max_threads = config.lab_executor_max;
  options.queue_tasks = config.lab_executor_queue;
  options.overflow =
      config.lab_executor_overflow == "reject" ? Overflow::kReject : Overflow::kCallerRuns;
  return std::make_unique<FedExecutor>(options, kHandedOver, registry);
}

void ApplyLab(const AppConfig& config, FedExecutor* pool, relay::GrpcRelayOptions* options) {
  options->lab.deadline = DeadlineOf(config);
  options->lab.fixed_deadline = config.lab_fixed_deadline;
  options->lab.can_stream = CanStream(config);
  if (config.lab_dispatch != "pool") return;
  options->lab.pool = pool;
  // A call that waits for a thread counts as under way; the pool bounds them.
  options->max_calls_per_peer = std::numeric_limits<std::size_t>::max();
}

void ApplyLab(const AppConfig& config, relay::RelayServerOptions* options) {
  options->workers = config.lab_server_workers;
  if (config.lab_fault_relay_delay == Duration::zero()) return;
  options->fault = [delay = config.lab_fault_relay_delay] {
    relay::RelayFault fault;
    fault.delay = delay;
    return fault;
  };
}

std::function<void(const char*)> DieAt(const std::string& fatal_step) {
  if (fatal_step == "never") return {};
  return [fatal_step](const char* step) {
    if (fatal_step != step) return;
    log::Warn("lab_fault", {{"die", step}});
    std::raise(SIGKILL);
  };
}

void PooledRecipients::Run(Scheduler::Work work) {
  FedExecutor::Task task;
  task.run = [this, work = std::move(work)] { scheduler_.Post(work); };
  task.refused = [] {};  // counted by the pool
  pool_.HandOver(std::move(task));
}

}  // namespace minichat::app
