#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "loadtest/experiments/transports/figures.h"
#include "loadtest/experiments/transports/relay_way.h"
#include "loadtest/experiments/transports/step.h"

namespace minichat::transports {

// The measurements of one condition, one of each round.
struct Samples {
  std::vector<Figures> rounds;

  // Of what all rounds told under this name; not a number when one didn't.
  double Median(const std::string& name) const;
  double Sum(const std::string& name) const;
  double Max(const std::string& name) const;
};

// How many times as much as the other's, round by round, so that what disturbed a round disturbed
// both; the median.
double MedianRatio(const Samples& samples, const Samples& base, const std::string& name);

struct StepSamples {
  const Step* step = nullptr;
  std::chrono::microseconds store_time{};
  Samples samples;
};

struct RelaySamples {
  const RelayWay* way = nullptr;
  std::size_t in_flight = 0;
  Samples samples;
};

// CPU of one side ("caller_cpu", "stock_cpu") for each take or message, in microseconds.
double CpuEach(const Samples& samples, const std::string& side);

// All that the experiment measured.
struct Measurements {
  std::vector<StepSamples> steps;
  std::vector<RelaySamples> relays;
  double cores = 0;

  // Must be there.
  const Samples& Of(const std::string& step, std::chrono::microseconds store_time) const;
  const Samples& OfRelay(const std::string& way, std::size_t in_flight) const;
};

// How many times as many takes a second the step made as the other one.
double TakesRatio(const Measurements& all, const std::string& step, const std::string& base,
                  std::chrono::microseconds store_time);

}  // namespace minichat::transports
