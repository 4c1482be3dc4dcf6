#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/sim/sim_options.h"

namespace minichat::sim {

// What came of many seeds.
struct SimSummary {
  struct Finding {
    std::uint64_t seeds = 0;  // on which it was seen
    std::uint64_t first_seed = 0;
    double at = 0;
    std::string text;
  };
  std::uint64_t runs = 0;
  std::uint64_t bad_runs = 0;
  std::vector<std::uint64_t> bad_seeds;  // the first ones
  std::uint64_t steps = 0;
  std::map<std::string, Finding> findings;     // by kind
  std::map<std::string, std::uint64_t> notes;  // how often each rare path was taken
  std::vector<std::string> trace;              // of the last run, if asked for

  void Add(const SimSummary& other);
  std::string ToText() const;
};

// The faults of a seed when none are named: from none at all to all kinds at once.
std::vector<std::string> FaultsOf(std::uint64_t seed);

struct SeedRange {
  std::uint64_t from = 1;
  std::uint64_t to = 1;
  bool mixed_faults = false;  // FaultsOf(seed) instead of the options' faults
  bool stop_at_first = false;
};

// Runs the seeds one after the other.
SimSummary RunSeeds(const SimOptions& options, const SeedRange& range);
// The same, in `threads` threads.
SimSummary RunSeedsInThreads(const SimOptions& options, const SeedRange& range, unsigned threads);

}  // namespace minichat::sim
