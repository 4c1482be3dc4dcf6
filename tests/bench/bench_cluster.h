#pragma once

#include <memory>
#include <string>

#include "loadtest/load/load_generator.h"
#include "tests/support/test_cluster.h"

namespace minichat::bench {

struct ClusterOptions {
  bool stored = true;
  bool coalesce = true;
  std::size_t members = 150;
};

// What one stretch of load cost and brought.
struct Sample {
  double node_cpu_us = 0;  // of all nodes together, per delivery
  double redis_cpu_us = 0;
  double generator_cpu_us = 0;
  double deliveries_per_s = 0;
  std::uint64_t deliveries = 0;
  double p50_ms = 0;  // of deliveries, from the intended time of sending
  double p95_ms = 0;
  double p99_ms = 0;
  std::string invalid;  // why the figures don't count; empty: they do
};

// Three nodes on real services, with the members of one room connected to them.
//
// Lifetime:  the services and the loop outlive it; its end stops the nodes.
// Threading: confined to the loop's thread. Blocks for as long as the pace says, and some more.
// Errors:    a Status when there is no figure; a stretch that went wrong says so in `invalid`.
class BenchCluster {
 public:
  static Result<std::unique_ptr<BenchCluster>> Start(test::ServiceSet& services,
                                                     loadtest::ClientLoop& loop,
                                                     const ClusterOptions& options);

  Result<Sample> Measure(const std::string& mode, const loadtest::LoadPace& pace);
  // CPU of all nodes with the sessions open and nobody talking.
  double IdleCpuMsPerS();
  // Of all nodes together.
  double ResidentKib() const;
  // For another room of so many members.
  loadtest::LoadOptions LoadFor(std::size_t members) const;
  loadtest::ClientLoop& loop() { return loop_; }

 private:
  struct Counters {
    double calls = 0;
    double pulls = 0;
  };

  BenchCluster(test::ServiceSet& services, loadtest::ClientLoop& loop,
               const ClusterOptions& options);
  Status EnterMode(const std::string& mode);
  double NodeCpuSeconds() const;
  Result<Counters> Read(const std::string& mode) const;
  static std::string WhatIsWrong(const loadtest::LoadResult& result, const std::string& mode,
                                 const Counters& before, const Counters& after);

  loadtest::ClientLoop& loop_;
  std::unique_ptr<test::ScratchRedis>
      own_redis_;  // not stored: another generation's would be found
  test::TestCluster cluster_;
  const loadtest::Cluster description_;
  const loadtest::ClusterAdmin admin_;
  const pid_t redis_;
  loadtest::LoadGenerator generator_;
};

}  // namespace minichat::bench
