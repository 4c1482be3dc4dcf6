#include "tests/bench/delivery_cost.h"

#include <algorithm>
#include <cstdio>

#include <time.h>
#include <unistd.h>

#include "loadtest/smoke/load_run.h"

namespace minichat::bench {
namespace {

using loadtest::LoadPlan;
using loadtest::LoadRun;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kIdleTime{5};
constexpr seconds kSettleTime{2};

// User and system time, with the kernel's own nanosecond resolution.
double CpuSeconds(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

double CostResult::Median(const std::string& mode) const {
  std::vector<double> values;
  for (const CostSample& sample : samples) {
    if (sample.mode == mode) values.push_back(sample.node_cpu_us);
  }
  return MedianOf(values);
}

double CostResult::Ratio(const std::string& mode, const std::string& to) const {
  std::vector<double> costs, others;
  for (const CostSample& sample : samples) {
    if (sample.mode == mode) costs.push_back(sample.node_cpu_us);
    if (sample.mode == to) others.push_back(sample.node_cpu_us);
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(costs.size(), others.size()); ++i) {
    ratios.push_back(costs[i] / others[i]);
  }
  return MedianOf(ratios);
}

bool CostResult::valid() const {
  return std::all_of(samples.begin(), samples.end(),
                     [](const CostSample& sample) { return sample.invalid.empty(); });
}

DeliveryCost::DeliveryCost(test::TestCluster& cluster, pid_t redis, CostOptions options)
    : cluster_(cluster),
      redis_(redis),
      options_(options),
      description_(cluster.Description()),
      admin_(description_) {}

double DeliveryCost::NodeCpuSeconds() {
  double sum = 0;
  for (const loadtest::ClusterNode& node : description_.nodes) sum += CpuSeconds(node.pid);
  return sum;
}

double DeliveryCost::IdleCost() {
  const double before = NodeCpuSeconds();
  loop_.RunFor(kIdleTime);
  return (NodeCpuSeconds() - before) * 1e3 / static_cast<double>(kIdleTime.count());
}

Status DeliveryCost::EnterMode(const std::string& mode) {
  if (const Status set = admin_.SetClusterMode(mode); !set.ok()) return set;
  const auto there = [&] { return admin_.AllNodesIn(mode); };
  if (loop_.RunUntil(there, seconds(10), milliseconds(50))) return {};
  return DeadlineExceeded("bench: not every node relays in mode " + mode);
}

Result<CostResult> DeliveryCost::Measure(const std::string& backends) {
  CostResult result;
  result.backends = backends;
  result.idle_cpu_ms_per_s = IdleCost();
  // One stretch that does not count: connections, caches and pools get warm.
  if (const auto warm = MeasureMode(options_.modes.front(), "warm"); !warm.ok())
    return warm.status();
  for (std::size_t round = 0; round < options_.rounds; ++round) {
    for (const std::string& mode : options_.modes) {
      auto sample = MeasureMode(mode, backends + "-" + mode + "-" + std::to_string(round));
      if (!sample.ok()) return sample.status();
      std::fprintf(stderr, "bench: %s, round %zu, %s: %.1f us per delivery %s\n", backends.c_str(),
                   round + 1, mode.c_str(), sample->node_cpu_us, sample->invalid.c_str());
      result.samples.push_back(std::move(sample).value());
    }
  }
  return result;
}

Result<CostSample> DeliveryCost::MeasureMode(const std::string& mode, const std::string& label) {
  if (const Status entered = EnterMode(mode); !entered.ok()) return entered;
  const auto messages =
      static_cast<std::size_t>(options_.rate * static_cast<double>(options_.seconds));
  const LoadPlan plan({options_.nodes, 1, options_.members, messages, options_.rate},
                      "bench-" + std::to_string(getpid()) + "-" + label);
  LoadRun run(loop_, description_, plan);
  if (const Status s = run.Connect(seconds(30)); !s.ok()) return s;
  loop_.RunFor(kSettleTime);  // joins and their broadcasts are over
  const auto calls = [&] {
    return cluster_.Sum("minichat_relay_calls_total", {{"mode", mode}, {"code", "OK"}});
  };
  const auto pulls = [&] {
    return cluster_.Sum("minichat_pulls_total", {{"cause", "hole"}}) +
           cluster_.Sum("minichat_pulls_total", {{"cause", "sweep"}});
  };
  const double calls_before = calls(), pulls_before = pulls();
  const double nodes_before = NodeCpuSeconds(), redis_before = CpuSeconds(redis_);

  run.Send(seconds(10));

  const double per_delivery = 1e6 / static_cast<double>(std::max<std::size_t>(1, run.delivered()));
  CostSample sample;
  sample.mode = mode;
  sample.node_cpu_us = (NodeCpuSeconds() - nodes_before) * per_delivery;
  sample.redis_cpu_us = (CpuSeconds(redis_) - redis_before) * per_delivery;
  sample.deliveries = run.delivered();
  sample.delivery_p50_ms = run.DeliveryLatency().p50;
  sample.delivery_p99_ms = run.DeliveryLatency().p99;
  loop_.RunFor(seconds(1));  // the last calls are counted when they are answered
  sample.invalid =
      WhatIsWrong(plan, run.delivered(), mode, calls() - calls_before, pulls() - pulls_before);
  run.Close();
  return sample;
}

std::string DeliveryCost::WhatIsWrong(const LoadPlan& plan, std::size_t delivered,
                                      const std::string& mode, double calls, double pulls) const {
  if (delivered != plan.Deliveries()) {
    return "delivered " + std::to_string(delivered) + " of " + std::to_string(plan.Deliveries());
  }
  if (calls != static_cast<double>(plan.RelayCalls(mode))) {
    return "relay calls " + std::to_string(static_cast<long>(calls)) + " instead of " +
           std::to_string(plan.RelayCalls(mode));
  }
  return pulls != 0 ? "pulled " + std::to_string(static_cast<long>(pulls)) + " times" : "";
}

}  // namespace minichat::bench
