#include "loadtest/experiments/overload/pool_plan.h"

#include <limits>

namespace minichat::lab {
namespace {

using std::chrono::milliseconds;

// A quick run does less work, and fewer requests where every one of them is worked on.
constexpr std::size_t kQuickRequests = 30;

PoolCondition Bounded(const std::string& name, bool quick) {
  PoolCondition condition;
  condition.name = name;
  condition.service.name = name;
  condition.service.workers = 2;
  condition.service.queue_tasks = 10;
  condition.service.work = quick ? milliseconds(300) : milliseconds(3'000);
  return condition;
}

}  // namespace

double PoolCondition::least_possible_ms() const {
  const std::size_t rounds = (requests + service.workers - 1) / service.workers;
  return static_cast<double>(rounds) * static_cast<double>(service.work.count());
}

PoolCondition SyncCondition(bool quick) {
  PoolCondition condition;
  condition.name = "sync";
  condition.service.name = "sync";
  condition.service.workers = 10;
  condition.service.work = quick ? milliseconds(200) : milliseconds(1'000);
  return condition;
}

PoolCondition RejectCondition(bool quick) {
  return Bounded("reject", quick);
}

PoolCondition CallerRunsCondition(bool quick) {
  PoolCondition condition = Bounded("caller_runs", quick);
  condition.service.overflow = Overflow::kCallerRuns;
  if (quick) condition.requests = kQuickRequests;
  return condition;
}

PoolCondition UnboundedCondition(bool quick) {
  PoolCondition condition = Bounded("unbounded", quick);
  condition.service.queue_tasks = std::numeric_limits<std::size_t>::max();
  if (quick) condition.requests = kQuickRequests;
  return condition;
}

}  // namespace minichat::lab
