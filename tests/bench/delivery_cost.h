#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

#include "loadtest/smoke/load_plan.h"
#include "server/base/status.h"
#include "tests/support/test_cluster.h"

namespace minichat::bench {

struct CostOptions {
  std::size_t nodes = 3;
  std::size_t members = 150;
  double rate = 50;  // messages per second
  std::size_t seconds = 15;
  std::size_t rounds = 4;  // of each mode, taken in turns
  std::vector<std::string> modes{"single", "bulk", "stream"};
};

// One stretch of load in one relay mode.
struct CostSample {
  std::string mode;
  double node_cpu_us = 0;  // of all nodes together, per delivery
  double redis_cpu_us = 0;
  std::size_t deliveries = 0;
  double delivery_p50_ms = 0;
  double delivery_p99_ms = 0;
  // Why the figures don't count: something was lost, repeated, pulled, or relayed otherwise.
  std::string invalid;
};

struct CostResult {
  std::string backends;             // "stored" or "memory"
  double idle_cpu_ms_per_s = 0;     // of all nodes, with the sessions open and nobody talking
  std::vector<CostSample> samples;  // of each mode, and again of each mode, …

  double Median(const std::string& mode) const;
  // Median over the rounds of one mode's cost by another's; both were taken in the same round.
  double Ratio(const std::string& mode, const std::string& to) const;
  bool valid() const;
};

// CPU time of nodes per delivered message, in each relay mode, on one running cluster.
//
// Threading: confined to one thread. Blocks for rounds × modes × seconds and some more.
// Errors:    a Status when there is no run; a run that went wrong has samples that say so.
class DeliveryCost {
 public:
  DeliveryCost(test::TestCluster& cluster, pid_t redis, CostOptions options);

  Result<CostResult> Measure(const std::string& backends);

 private:
  Result<CostSample> MeasureMode(const std::string& mode, const std::string& label);
  Status EnterMode(const std::string& mode);
  double NodeCpuSeconds();
  double IdleCost();
  std::string WhatIsWrong(const loadtest::LoadPlan& plan, std::size_t delivered,
                          const std::string& mode, double calls, double pulls) const;

  test::TestCluster& cluster_;
  const pid_t redis_;
  const CostOptions options_;
  const loadtest::Cluster description_;
  loadtest::ClusterAdmin admin_;
  loadtest::ClientLoop loop_;
};

}  // namespace minichat::bench
