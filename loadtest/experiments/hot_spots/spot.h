#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "server/base/status.h"

namespace minichat::lab {

// One way to do a piece of work.
struct Variant {
  std::string name;
  std::size_t operations = 1;   // that one run() does
  std::function<Status()> run;  // fails when the result is not what it must be
  std::string prototype = "-";  // what an earlier prototype took, for the reader
};

// A place where such systems get slow, and the ways through it; the first one is the slow one.
struct Spot {
  std::string name;       // for files and checks
  std::string title;      // for readers
  std::string operation;  // what is counted: "150 recipients looked up"
  std::vector<Variant> variants;
  std::vector<pid_t> services = {};  // whose CPU time counts as well
  double least_gain = 1;             // of the last variant over the first, for the check
};

// One stretch of one variant, per operation.
struct SpotSample {
  double wall_us = 0;
  double own_cpu_us = 0;
  double service_cpu_us = 0;
};

struct VariantResult {
  std::string name;
  std::string prototype;
  std::vector<SpotSample> rounds;

  double Median(double SpotSample::*figure) const;
  double MedianCpu() const;  // own and the services'
};

struct SpotResult {
  std::string name;
  std::string title;
  std::string operation;
  double least_gain = 1;
  std::vector<VariantResult> variants;

  // How many times less than the first one a variant takes: the median over the rounds of the ratio
  // within a round.
  double Gain(std::size_t variant) const;
};

struct SpotPlan {
  std::size_t rounds = 7;                  // each runs every variant, in turns
  std::chrono::milliseconds stretch{400};  // at least, of one variant in one round
  std::size_t room_rounds = 3;
  std::chrono::seconds room_stretch{8};
  // False: a few rounds show which way is the faster, not by how much.
  bool gains_must_hold = true;

  static SpotPlan Full() { return {}; }
  static SpotPlan Quick();
};

// Runs each variant once unmeasured, then the rounds.
Result<SpotResult> Measure(const Spot& spot, const SpotPlan& plan);

// An empty result for the variants of a spot.
SpotResult EmptyResultOf(const Spot& spot);

}  // namespace minichat::lab
