#include "tests/bench/group_run.h"

#include <algorithm>
#include <cstdio>

namespace minichat::bench {
namespace {

constexpr std::chrono::seconds kWarmUp{3};
// A `message` event of the generator's texts, with room, id, names and the frame's head.
constexpr std::size_t kEventBytes = 400;

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

double ConditionResult::Median(double Sample::*field) const {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*field);
  return MedianOf(values);
}

double GroupResult::CpuRatio(std::size_t condition) const {
  std::vector<double> ratios;
  const std::vector<Sample>& first = conditions.front().samples;
  const std::vector<Sample>& samples = conditions[condition].samples;
  for (std::size_t i = 0; i < samples.size(); ++i)
    ratios.push_back(samples[i].node_cpu_us / first[i].node_cpu_us);
  return MedianOf(ratios);
}

bool GroupResult::valid() const {
  return std::all_of(conditions.begin(), conditions.end(), [](const ConditionResult& result) {
    return std::all_of(result.samples.begin(), result.samples.end(),
                       [](const Sample& sample) { return sample.invalid.empty(); });
  });
}

GroupRun::GroupRun(test::ServiceSet& services, Group group, std::size_t rounds)
    : services_(services), group_(std::move(group)), rounds_(rounds) {}

Status GroupRun::Start() {
  for (const Condition& condition : group_.conditions) {
    if (condition.mode.empty()) {
      auto floor = RawFloor::Start(loop_, {.clients = group_.members, .bytes = kEventBytes});
      if (!floor.ok()) return floor.status();
      floor_ = std::move(floor).value();
    } else if (!clusters_.contains(condition.coalesce)) {
      auto cluster = BenchCluster::Start(services_, loop_,
                                         {group_.stored, condition.coalesce, group_.members});
      if (!cluster.ok()) return cluster.status();
      clusters_[condition.coalesce] = std::move(cluster).value();
    }
  }
  return {};
}

Result<GroupResult> GroupRun::Run() {
  if (const Status started = Start(); !started.ok()) return started;
  GroupResult result;
  result.group = group_;
  loadtest::LoadPace warm_up = group_.pace;
  warm_up.duration = kWarmUp;
  for (const Condition& condition : group_.conditions) {
    result.conditions.push_back({condition, {}});
    if (const auto warm = Measure(condition, warm_up); !warm.ok()) return warm.status();
  }
  result.idle_cpu_ms_per_s = clusters_.begin()->second->IdleCpuMsPerS();
  for (std::size_t round = 0; round < rounds_; ++round) {
    for (ConditionResult& condition : result.conditions) {
      auto sample = Measure(condition.condition, group_.pace);
      if (!sample.ok()) return sample.status();
      Tell(round, condition.condition, *sample);
      condition.samples.push_back(std::move(sample).value());
    }
  }
  return result;
}

Result<Sample> GroupRun::Measure(const Condition& condition, const loadtest::LoadPace& pace) {
  if (!condition.mode.empty())
    return clusters_.at(condition.coalesce)->Measure(condition.mode, pace);
  const auto floor = floor_->Run(pace.rate, pace.duration);
  if (!floor.ok()) return floor.status();
  Sample sample;
  sample.node_cpu_us = floor->cpu_us;
  sample.deliveries = floor->deliveries;
  return sample;
}

void GroupRun::Tell(std::size_t round, const Condition& condition, const Sample& sample) const {
  std::fprintf(stderr, "bench: %s, round %zu, %s: %.2f us per delivery, %.0f deliveries/s %s\n",
               group_.name.c_str(), round + 1, condition.name.c_str(), sample.node_cpu_us,
               sample.deliveries_per_s, sample.invalid.c_str());
}

}  // namespace minichat::bench
