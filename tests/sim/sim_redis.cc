#include "tests/sim/sim_redis.h"

#include <algorithm>
#include <utility>

#include "tests/sim/sim_node.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

SimRedis::SimRedis(SimWorld& world, int boot)
    : world_(world), boot_(boot), run_id_("run" + std::to_string(boot)), state_(EmptyState()) {}

memory::DirectoryState SimRedis::EmptyState() const {
  core::ProtocolRules rules = world_.options().rules;
  core::DirectoryLimits limits = NodeOptionsOf(world_.options()).directory;
  if (world_.options().lie == Lie::kForgetIds) {
    rules.uknown = false;
    limits.dedup_ttl = Seconds(.001);
  }
  return memory::DirectoryState(limits, rules);
}

void SimRedis::Arrive(const std::shared_ptr<Call>& call) {
  Timeline& timeline = world_.timeline();
  const auto time_out = [call] { call->finish(DeadlineExceeded("redis: no reply")); };
  if (!call->node->redis_link()) {
    timeline.At(call->deadline, time_out);
    return;
  }
  if (stalled_) {
    waiting_.push_back(call);
    timeline.At(call->deadline, time_out);
    return;
  }
  if (!up_ || (!call->run_id.empty() && call->run_id != run_id_)) {
    timeline.After(Seconds(.001), [call] { call->finish(Unavailable("redis: refused")); });
    return;
  }
  call->execute(*this);
  world_.Hit(call->script, "done", call->node);
  const TimePoint back = timeline.Now() + world_.Net();
  if (back > call->deadline) {
    timeline.At(call->deadline, time_out);
  } else {
    timeline.At(back, [this, call, by = run_id_] { Reply(call, by); });
  }
}

void SimRedis::Reply(const std::shared_ptr<Call>& call, const std::string& executed_by) {
  if (!call->node->redis_link()) {
    world_.timeline().At(call->deadline,
                         [call] { call->finish(DeadlineExceeded("redis: reply lost")); });
  } else if (!up_ || executed_by != run_id_) {
    call->finish(Unavailable("redis: connection reset"));
  } else {
    call->finish(Status());
  }
}

void SimRedis::Crash() {
  up_ = false;
  waiting_.clear();
  world_.Trace("redis: killed");
  for (const auto& node : world_.nodes()) {
    world_.timeline().After(Seconds(world_.random().Uniform(0, .05)),
                            [n = node.get(), run_id = run_id_] { n->LoseRedis(run_id); });
  }
}

void SimRedis::Restart(const memory::DirectoryState* snapshot) {
  run_id_ = "run" + std::to_string(++boot_);
  up_ = true;
  stalled_ = false;
  state_ = snapshot != nullptr ? *snapshot : EmptyState();
  world_.Trace("redis: back as " + run_id_ + (snapshot != nullptr ? ", old snapshot" : ", empty"));
}

void SimRedis::Flush() {
  state_ = EmptyState();
  world_.Trace("redis: flushed");
}

// What waited is executed late, or never; its callers have given up.
void SimRedis::Unstall() {
  stalled_ = false;
  for (const auto& call : std::exchange(waiting_, {})) {
    if (world_.random().Chance(.7)) Arrive(call);
  }
}

}  // namespace minichat::sim
