#include "loadtest/experiments/transports/experiment.h"

#include <utility>

#include <unistd.h>

#include "loadtest/experiments/transports/measure.h"

namespace minichat::transports {
namespace {

struct Condition {
  std::string name;
  std::function<Result<Figures>()> measure;
  Samples* samples;
};

Measurements EmptyMeasurements(const Plan& plan) {
  Measurements all;
  all.cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  for (const auto store_time : {kNoStore, kSomeStore}) {
    if (!plan.steps) break;
    for (const Step& step : AllSteps()) all.steps.push_back({&step, store_time, {}});
  }
  for (const std::size_t in_flight : {kOneInFlight, kManyInFlight}) {
    if (!plan.relays) break;
    for (const RelayWay& way : AllRelayWays()) all.relays.push_back({&way, in_flight, {}});
  }
  return all;
}

std::vector<Condition> ConditionsOf(Measurements& all, const Times& times) {
  std::vector<Condition> conditions;
  for (StepSamples& s : all.steps) {
    conditions.push_back({s.step->name + ", store " + std::to_string(s.store_time.count()) + " us",
                          [&s, times] { return MeasureStep(*s.step, s.store_time, times); },
                          &s.samples});
  }
  for (RelaySamples& r : all.relays) {
    conditions.push_back(
        {"relay " + r.way->name + ", " + std::to_string(r.in_flight) + " under way",
         [&r, times] { return MeasureRelay(*r.way, r.in_flight, times); }, &r.samples});
  }
  return conditions;
}

}  // namespace

Plan FullPlan() {
  return {};
}

Plan QuickPlan() {
  return {.rounds = 1, .times = {std::chrono::milliseconds(100), std::chrono::milliseconds(400)}};
}

Result<Measurements> RunPlan(const Plan& plan,
                             const std::function<void(const std::string&)>& progress) {
  Measurements all = EmptyMeasurements(plan);
  const std::vector<Condition> conditions = ConditionsOf(all, plan.times);
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const Condition& next = conditions[round % 2 == 0 ? i : conditions.size() - 1 - i];
      progress("round " + std::to_string(round + 1) + "/" + std::to_string(plan.rounds) + ": " +
               next.name);
      auto figures = next.measure();
      if (!figures.ok()) {
        return Status(figures.status().code(), next.name + ": " + figures.status().message());
      }
      next.samples->rounds.push_back(std::move(figures).value());
    }
  }
  return all;
}

}  // namespace minichat::transports
