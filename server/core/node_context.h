#pragma once

#include "server/base/log.h"
#include "server/base/task.h"
#include "server/core/chat_node.h"
#include "server/core/core_metrics.h"
#include "server/core/node_options.h"

namespace minichat::core {

// What all parts of one node share.
//
// Lifetime:  owned by ChatNode; the tasks end before the parts do.
// Threading: confined to the core scheduler's thread.
struct NodeContext {
  const NodeOptions& options;
  const NodePorts& ports;
  TaskScope& tasks;

  Scheduler& scheduler() const { return ports.scheduler; }
  TimePoint now() const { return ports.scheduler.Now(); }
  const ProtocolRules& rules() const { return options.rules; }
  CoreMetrics& metrics() const { return ports.metrics; }
  Deadline In(Duration budget) const { return Deadline::After(ports.scheduler, budget); }
  void Step(const char* step) const {
    if (options.step_hook) options.step_hook(step);
  }
  // `base` give or take `share` of it, so that nodes don't march in step.
  Duration Jittered(Duration base, double share) const {
    const double unit = static_cast<double>(ports.scheduler.Random() >> 11) / 9007199254740992.0;
    return std::chrono::duration_cast<Duration>(base * (1 - share + 2 * share * unit));
  }
};

}  // namespace minichat::core
