#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/bench_cluster.h"
#include "tests/bench/conditions.h"
#include "tests/bench/raw_floor.h"

namespace minichat::bench {

struct ConditionResult {
  Condition condition;
  std::vector<Sample> samples;  // one a round

  double Median(double Sample::*field) const;
};

struct GroupResult {
  Group group;
  double idle_cpu_ms_per_s = 0;  // of three nodes, with the sessions open and nobody talking
  std::vector<ConditionResult> conditions;

  // Median over the rounds of a condition's node CPU per delivery by the first condition's of the
  // same round.
  double CpuRatio(std::size_t condition) const;
  bool valid() const;
};

// Measures the conditions of one group in turns (ABAB), so that a neighbour's noise falls on all.
// A short stretch that doesn't count comes before, in which connections, caches and pools get warm.
//
// Lifetime:  the services outlive it.
// Threading: confined to one thread; Run() blocks for minutes and tells stderr how far it is.
class GroupRun {
 public:
  GroupRun(test::ServiceSet& services, Group group, std::size_t rounds);

  Result<GroupResult> Run();

 private:
  Status Start();
  Result<Sample> Measure(const Condition& condition, const loadtest::LoadPace& pace);
  void Tell(std::size_t round, const Condition& condition, const Sample& sample) const;

  test::ServiceSet& services_;
  const Group group_;
  const std::size_t rounds_;
  loadtest::ClientLoop loop_;
  std::unique_ptr<RawFloor> floor_;
  std::map<bool, std::unique_ptr<BenchCluster>> clusters_;  // by lab.coalesce
};

}  // namespace minichat::bench
