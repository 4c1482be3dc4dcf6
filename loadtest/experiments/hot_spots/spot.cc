#include "loadtest/experiments/hot_spots/spot.h"

#include <unistd.h>

#include "loadtest/report/plain_text.h"
#include "tests/bench/cpu_clock.h"

namespace minichat::lab {
namespace {

using Clock = std::chrono::steady_clock;

double ServiceCpu(const Spot& spot) {
  double sum = 0;
  for (const pid_t pid : spot.services) sum += bench::CpuSeconds(pid);
  return sum;
}

Result<SpotSample> MeasureOnce(const Spot& spot, const Variant& variant,
                               std::chrono::milliseconds stretch) {
  const double own_before = bench::CpuSeconds(getpid());
  const double service_before = ServiceCpu(spot);
  const Clock::time_point start = Clock::now();
  double operations = 0;
  do {
    if (const Status s = variant.run(); !s.ok()) return s;
    operations += static_cast<double>(variant.operations);
  } while (Clock::now() - start < stretch);
  const double wall = std::chrono::duration<double>(Clock::now() - start).count();
  return SpotSample{wall * 1e6 / operations,
                    (bench::CpuSeconds(getpid()) - own_before) * 1e6 / operations,
                    (ServiceCpu(spot) - service_before) * 1e6 / operations};
}

}  // namespace

SpotPlan SpotPlan::Quick() {
  SpotPlan plan;
  plan.rounds = 3;
  plan.stretch = std::chrono::milliseconds(60);
  plan.room_rounds = 1;
  plan.room_stretch = std::chrono::seconds(3);
  plan.gains_must_hold = false;
  return plan;
}

double VariantResult::Median(double SpotSample::*figure) const {
  std::vector<double> values;
  for (const SpotSample& sample : rounds) values.push_back(sample.*figure);
  return report::Percentile(std::move(values), 0.5);
}

double VariantResult::MedianCpu() const {
  std::vector<double> values;
  for (const SpotSample& s : rounds) values.push_back(s.own_cpu_us + s.service_cpu_us);
  return report::Percentile(std::move(values), 0.5);
}

double SpotResult::Gain(std::size_t variant) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < variants[variant].rounds.size(); ++round) {
    ratios.push_back(variants[0].rounds[round].wall_us / variants[variant].rounds[round].wall_us);
  }
  return report::Percentile(std::move(ratios), 0.5);
}

SpotResult EmptyResultOf(const Spot& spot) {
  SpotResult result{spot.name, spot.title, spot.operation, spot.least_gain, {}};
  for (const Variant& variant : spot.variants) {
    result.variants.push_back({variant.name, variant.prototype, {}});
  }
  return result;
}

Result<SpotResult> Measure(const Spot& spot, const SpotPlan& plan) {
  SpotResult result = EmptyResultOf(spot);
  if (!plan.gains_must_hold) result.least_gain = 1;
  for (const Variant& variant : spot.variants) {
    if (const Status s = variant.run(); !s.ok()) return s;
  }
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < spot.variants.size(); ++i) {
      const auto sample = MeasureOnce(spot, spot.variants[i], plan.stretch);
      if (!sample.ok()) return sample.status();
      result.variants[i].rounds.push_back(*sample);
    }
  }
  return result;
}

}  // namespace minichat::lab
