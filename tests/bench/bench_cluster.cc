#include "tests/bench/bench_cluster.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include <unistd.h>

#include "tests/bench/cpu_clock.h"

namespace minichat::bench {
namespace {

using loadtest::LoadResult;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kIdleTime{5};
constexpr seconds kSettleTime{1};
constexpr seconds kModeLimit{10};
constexpr seconds kConnectLimit{60};

std::string NextLabel() {
  static int clusters = 0;
  return "bench-" + std::to_string(getpid()) + "-" + std::to_string(clusters++);
}

test::TestClusterOptions NodesFor(const ClusterOptions& options, test::ScratchRedis* own_redis) {
  test::TestClusterOptions nodes;
  nodes.flags = {{"limits.messages_per_s", "100000"}};
  if (own_redis != nullptr) {
    nodes.flags.insert({{"lab.enabled", "true"},
                        {"log", "memory:"},
                        {"store", "memory:"},
                        {"directory", own_redis->Url()}});
  }
  if (!options.coalesce) nodes.flags.insert({{"lab.enabled", "true"}, {"lab.coalesce", "false"}});
  return nodes;
}

pid_t PidOf(test::ScratchRedis& redis) {
  const std::string info = redis.Command({"INFO", "server"});
  const std::size_t at = info.find("process_id:");
  return at == std::string::npos ? 0 : std::atoi(info.c_str() + at + std::strlen("process_id:"));
}

std::vector<loadtest::Endpoint> ClientsOf(const loadtest::Cluster& cluster) {
  std::vector<loadtest::Endpoint> endpoints;
  for (const loadtest::ClusterNode& node : cluster.nodes) endpoints.push_back(node.client);
  return endpoints;
}

}  // namespace

Result<std::unique_ptr<BenchCluster>> BenchCluster::Start(test::ServiceSet& services,
                                                          loadtest::ClientLoop& loop,
                                                          const ClusterOptions& options) {
  std::unique_ptr<BenchCluster> cluster(new BenchCluster(services, loop, options));
  if (const Status s = cluster->generator_.Connect(kConnectLimit); !s.ok()) return s;
  return cluster;
}

BenchCluster::BenchCluster(test::ServiceSet& services, loadtest::ClientLoop& loop,
                           const ClusterOptions& options)
    : loop_(loop),
      own_redis_(options.stored ? nullptr : test::ScratchRedis::Start()),
      cluster_(services, NodesFor(options, own_redis_.get())),
      description_(cluster_.Description()),
      admin_(description_),
      redis_(PidOf(own_redis_ != nullptr ? *own_redis_ : services.redis())),
      generator_(loop, LoadFor(options.members)) {}

loadtest::LoadOptions BenchCluster::LoadFor(std::size_t members) const {
  return {.label = NextLabel(),
          .nodes = ClientsOf(description_),
          .members = members,
          .talkers = members};
}

double BenchCluster::NodeCpuSeconds() const {
  double sum = 0;
  for (const loadtest::ClusterNode& node : description_.nodes) sum += CpuSeconds(node.pid);
  return sum;
}

double BenchCluster::ResidentKib() const {
  double pages = 0;
  for (const loadtest::ClusterNode& node : description_.nodes) {
    double total = 0, resident = 0;
    std::ifstream("/proc/" + std::to_string(node.pid) + "/statm") >> total >> resident;
    pages += resident;
  }
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

double BenchCluster::IdleCpuMsPerS() {
  const double before = NodeCpuSeconds();
  loop_.RunFor(kIdleTime);
  return (NodeCpuSeconds() - before) * 1e3 / static_cast<double>(kIdleTime.count());
}

Status BenchCluster::EnterMode(const std::string& mode) {
  if (admin_.AllNodesIn(mode)) return {};
  if (const Status set = admin_.SetClusterMode(mode); !set.ok()) return set;
  const auto there = [&] { return admin_.AllNodesIn(mode); };
  if (loop_.RunUntil(there, kModeLimit, milliseconds(50))) return {};
  return DeadlineExceeded("not every node relays in mode " + mode);
}

Result<BenchCluster::Counters> BenchCluster::Read(const std::string& mode) const {
  const auto nodes = admin_.Scrape();
  if (!nodes.ok()) return nodes.status();
  return Counters{SumOver(*nodes, "minichat_relay_calls_total", {{"mode", mode}, {"code", "OK"}}),
                  SumOver(*nodes, "minichat_pulls_total", {{"cause", "hole"}}) +
                      SumOver(*nodes, "minichat_pulls_total", {{"cause", "sweep"}})};
}

Result<Sample> BenchCluster::Measure(const std::string& mode, const loadtest::LoadPace& pace) {
  if (const Status entered = EnterMode(mode); !entered.ok()) return entered;
  loop_.RunFor(kSettleTime);
  const auto counters_before = Read(mode);
  if (!counters_before.ok()) return counters_before.status();
  const double nodes_before = NodeCpuSeconds(), redis_before = CpuSeconds(redis_);
  const double generator_before = CpuSeconds(getpid());

  const std::unique_ptr<LoadResult> result = generator_.Run(pace);

  const auto deliveries = static_cast<double>(std::max<std::uint64_t>(1, result->counts.received));
  Sample sample;
  sample.node_cpu_us = (NodeCpuSeconds() - nodes_before) * 1e6 / deliveries;
  sample.redis_cpu_us = (CpuSeconds(redis_) - redis_before) * 1e6 / deliveries;
  sample.generator_cpu_us = (CpuSeconds(getpid()) - generator_before) * 1e6 / deliveries;
  sample.deliveries = result->counts.received;
  sample.deliveries_per_s = deliveries / result->seconds;
  sample.p50_ms = result->delivery.AtMs(0.50);
  sample.p95_ms = result->delivery.AtMs(0.95);
  sample.p99_ms = result->delivery.AtMs(0.99);
  loop_.RunFor(kSettleTime);  // the last calls are counted when they are answered
  const auto counters_after = Read(mode);
  if (!counters_after.ok()) return counters_after.status();
  sample.invalid = WhatIsWrong(*result, mode, *counters_before, *counters_after);
  return sample;
}

std::string BenchCluster::WhatIsWrong(const LoadResult& result, const std::string& mode,
                                      const Counters& before, const Counters& after) {
  std::string wrong = result.counts.Findings();
  const auto note = [&wrong](const std::string& what) {
    wrong += (wrong.empty() ? "" : ", ") + what;
  };
  const auto calls = static_cast<std::uint64_t>(after.calls - before.calls);
  const std::uint64_t computed = mode == "single" ? result.single_calls : result.bulk_calls;
  if (calls != computed)
    note("relay calls " + std::to_string(calls) + " instead of " + std::to_string(computed));
  const auto pulls = static_cast<std::uint64_t>(after.pulls - before.pulls);
  if (pulls != 0) note("pulled " + std::to_string(pulls) + " times");
  return wrong;
}

}  // namespace minichat::bench
