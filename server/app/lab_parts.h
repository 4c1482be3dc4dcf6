#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "relay/grpc_relay.h"
#include "relay/relay_server.h"
#include "server/app/app_config.h"
#include "server/base/fed_executor.h"
#include "server/core/ports/recipient_tasks.h"

namespace minichat::app {

// What the keys under lab. make of a node's parts. With their defaults: nothing.

// The pool "fanout"; null when nothing uses it.
std::unique_ptr<FedExecutor> MakeLabPool(const AppConfig& config, MetricsRegistry& registry);
void ApplyLab(const AppConfig& config, FedExecutor* pool, relay::GrpcRelayOptions* options);
void ApplyLab(const AppConfig& config, relay::RelayServerOptions* options);
// Ends this process as a crash would, at the step that lab.fault.die names.
std::function<void(const char*)> DieAt(const std::string& fatal_step);

// Each local recipient of a message is a task of the pool, which hands the work to the core's
// thread, where the sessions are.
//
// Lifetime:  pool and scheduler outlive it. Threading: confined to the core's thread.
class PooledRecipients final : public core::RecipientTasks {
 public:
  PooledRecipients(FedExecutor& pool, Scheduler& scheduler) : pool_(pool), scheduler_(scheduler) {}

  void Run(Scheduler::Work work) override;

 private:
  FedExecutor& pool_;
  Scheduler& scheduler_;
};

}  // namespace minichat::app
