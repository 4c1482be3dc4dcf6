#include "tests/sim/sim_runner.h"

#include <algorithm>
#include <sstream>
#include <thread>

#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/core/core_metrics.h"
#include "tests/sim/faults.h"
#include "tests/sim/observer.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {
namespace {

constexpr std::size_t kBadSeedsTold = 50;

// Rare paths that the core counts itself.
void AddCoreNotes(const core::CoreMetrics& metrics, SimSummary* summary) {
  const auto add = [summary](const char* name, const Counter& counter) {
    summary->notes[name] += static_cast<std::uint64_t>(counter.Value());
  };
  add("pull_hole", metrics.pulls_hole);
  add("pull_sweep", metrics.pulls_sweep);
  add("pull_join", metrics.pulls_join);
  add("pull_resume", metrics.pulls_resume);
  add("gap", metrics.gaps);
  add("suppressed", metrics.suppressed);
  add("persister_placed", metrics.persister_placed);
  add("loser_record", metrics.loser_records);
  add("fenced", metrics.fenced);
  add("rerouted", metrics.rerouted);
}

void AddRun(std::uint64_t seed, Observer& observer, SimSummary* summary) {
  ++summary->runs;
  if (!observer.problems().empty()) {
    ++summary->bad_runs;
    if (summary->bad_seeds.size() < kBadSeedsTold) summary->bad_seeds.push_back(seed);
  }
  for (const Observer::Problem& problem : observer.problems()) {
    SimSummary::Finding& finding = summary->findings[problem.kind];
    if (finding.seeds++ == 0) {
      finding = {1, seed, problem.at, problem.text};
    }
  }
  for (const auto& [what, count] : observer.notes()) summary->notes[what] += count;
}

}  // namespace

void SimSummary::Add(const SimSummary& other) {
  runs += other.runs;
  bad_runs += other.bad_runs;
  steps += other.steps;
  for (const std::uint64_t seed : other.bad_seeds) {
    if (bad_seeds.size() < kBadSeedsTold) bad_seeds.push_back(seed);
  }
  for (const auto& [kind, finding] : other.findings) {
    Finding& mine = findings[kind];
    const std::uint64_t sum = mine.seeds + finding.seeds;
    if (mine.seeds == 0 || finding.first_seed < mine.first_seed) mine = finding;
    mine.seeds = sum;
  }
  for (const auto& [what, count] : other.notes) notes[what] += count;
}

std::string SimSummary::ToText() const {
  std::ostringstream out;
  out << "runs " << runs << ", bad " << bad_runs << ", steps per run "
      << steps / std::max<std::uint64_t>(runs, 1) << "\n";
  for (const auto& [kind, finding] : findings) {
    out << "  " << kind << " on " << finding.seeds << " seeds, first " << finding.first_seed
        << " at " << finding.at << ": " << finding.text << "\n";
  }
  if (!bad_seeds.empty()) out << "  bad seeds:";
  for (const std::uint64_t seed : bad_seeds) out << " " << seed;
  if (!bad_seeds.empty()) out << "\n";
  out << "  notes:";
  for (const auto& [what, count] : notes) out << " " << what << "=" << count;
  out << "\n";
  return out.str();
}

std::vector<std::string> FaultsOf(std::uint64_t seed) {
  const std::vector<std::string>& kinds = Faults::Kinds();
  Random random(seed ^ 0x9e3779b97f4a7c15);
  if (random.Chance(.05)) return {};
  if (random.Chance(.3)) return kinds;
  if (random.Chance(.1)) return {"pg", "pause", "longpause", "cut"};  // what makes gaps
  std::vector<std::string> chosen;
  const std::size_t count = 1 + random.Below(4);
  while (chosen.size() < count) chosen.push_back(random.Pick(kinds));
  return chosen;
}

SimSummary RunSeeds(const SimOptions& options, const SeedRange& range) {
  log::SetLevel(log::Level::kOff);  // a run's trace says more
  SimSummary summary;
  MetricsRegistry registry;
  core::CoreMetrics metrics(registry);
  for (std::uint64_t seed = range.from; seed <= range.to; ++seed) {
    SimOptions one = options;
    one.seed = seed;
    if (range.mixed_faults) one.faults = FaultsOf(seed);
    SimWorld world(one, metrics);
    world.Run();
    summary.steps += world.timeline().steps();
    AddRun(seed, world.observer(), &summary);
    if (options.trace) summary.trace = world.trace();
    if (range.stop_at_first && summary.bad_runs > 0) break;
  }
  AddCoreNotes(metrics, &summary);
  return summary;
}

SimSummary RunSeedsInThreads(const SimOptions& options, const SeedRange& range, unsigned threads) {
  std::vector<SimSummary> parts(threads);
  std::vector<std::jthread> running;
  const std::uint64_t share = (range.to - range.from + threads) / threads;
  for (unsigned i = 0; i < threads; ++i) {
    SeedRange part = range;
    part.from = range.from + i * share;
    part.to = std::min(range.to, part.from + share - 1);
    running.emplace_back([&, i, part] { parts[i] = RunSeeds(options, part); });
  }
  running.clear();
  SimSummary summary;
  for (const SimSummary& part : parts) summary.Add(part);
  return summary;
}

}  // namespace minichat::sim
