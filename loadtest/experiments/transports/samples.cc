#include "loadtest/experiments/transports/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/base/check.h"

namespace minichat::transports {
namespace {

double MedianOf(std::vector<double> values) {
  const bool known =
      std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  if (values.empty() || !known) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> Values(const std::vector<Figures>& rounds, const std::string& name) {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const Figures& round : rounds) values.push_back(round.Get(name));
  return values;
}

}  // namespace

double Samples::Median(const std::string& name) const {
  return MedianOf(Values(rounds, name));
}

double Samples::Sum(const std::string& name) const {
  double sum = 0;
  for (const double value : Values(rounds, name)) sum += value;
  return sum;
}

double Samples::Max(const std::string& name) const {
  double max = -std::numeric_limits<double>::infinity();
  for (const double value : Values(rounds, name)) {
    if (!(value <= max)) max = value;  // what is not a number stays
  }
  return max;
}

double MedianRatio(const Samples& samples, const Samples& base, const std::string& name) {
  CHECK(samples.rounds.size() == base.rounds.size());  // each round has every condition once
  std::vector<double> ratios;
  for (std::size_t i = 0; i < samples.rounds.size(); ++i) {
    ratios.push_back(samples.rounds[i].Get(name) / base.rounds[i].Get(name));
  }
  return MedianOf(std::move(ratios));
}

double CpuEach(const Samples& samples, const std::string& side) {
  return 1e6 * samples.Median(side) / samples.Median("per_second");
}

double TakesRatio(const Measurements& all, const std::string& step, const std::string& base,
                  std::chrono::microseconds store_time) {
  return MedianRatio(all.Of(step, store_time), all.Of(base, store_time), "per_second");
}

const Samples& Measurements::Of(const std::string& step,
                                std::chrono::microseconds store_time) const {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const StepSamples& s) {
    return s.step->name == step && s.store_time == store_time;
  });
  CHECK(found != steps.end());  // the plan has all of them
  return found->samples;
}

const Samples& Measurements::OfRelay(const std::string& way, std::size_t in_flight) const {
  const auto found = std::find_if(relays.begin(), relays.end(), [&](const RelaySamples& r) {
    return r.way->name == way && r.in_flight == in_flight;
  });
  CHECK(found != relays.end());  // as above
  return found->samples;
}

}  // namespace minichat::transports
