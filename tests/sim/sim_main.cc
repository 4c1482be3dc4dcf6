// minichat_sim: runs seeds of the simulation and prints what came of them.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/sim/faults.h"
#include "tests/sim/sim_runner.h"

namespace minichat::sim {
namespace {

constexpr std::string_view kUsage =
    "minichat_sim [--seeds A-B] [--faults all|mixed|none|KIND,KIND] [--off RULE,RULE]\n"
    "             [--lie NAME] [--rate X] [--pair X] [--late-unmarked] [--threads N]\n"
    "             [--steps STEP,STEP] [--dedup S] [--room-ttl S] [--janitor-age S] [--talk S]\n"
    "             [--stop] [--trace [TEXT]]\n"
    "One seed with the same arguments replays a run exactly. --trace prints its lines (those with\n"
    "TEXT). Exit code 1: a promise was broken.\n";

struct Arguments {
  SimOptions options;
  SeedRange range{1, 50, true, false};
  unsigned threads = 1;
  std::string grep;
};

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

bool ParseFaults(const std::string& value, Arguments* arguments) {
  arguments->range.mixed_faults = value == "mixed";
  if (value == "mixed" || value == "none") return true;
  const auto& faults = arguments->options.faults = value == "all" ? Faults::Kinds() : Split(value);
  return std::all_of(faults.begin(), faults.end(), Faults::IsKind);
}

bool ParseSeeds(const std::string& value, SeedRange* range) {
  const std::size_t dash = value.find('-');
  range->from = std::stoull(value);
  range->to = dash == std::string::npos ? range->from : std::stoull(value.substr(dash + 1));
  return range->from <= range->to;
}

// The option that a flag with a number sets; null: another flag.
double* NumberOf(const std::string& flag, SimOptions* options) {
  const std::pair<std::string_view, double*> numbers[] = {
      {"--rate", &options->rate},
      {"--pair", &options->pair},
      {"--dedup", &options->times.dedup},
      {"--room-ttl", &options->times.room_ttl},
      {"--janitor-age", &options->times.janitor_age},
      {"--talk", &options->times.talk}};
  for (const auto& [name, number] : numbers) {
    if (name == flag) return number;
  }
  return nullptr;
}

bool ParseFlag(const std::string& flag, const std::string& value, Arguments* arguments) {
  SimOptions& options = arguments->options;
  if (flag == "--seeds") return ParseSeeds(value, &arguments->range);
  if (flag == "--faults") return ParseFaults(value, arguments);
  if (flag == "--off") return SwitchOff(value, &options.rules);
  if (flag == "--lie") return FindLie(value, &options.lie);
  if (flag == "--steps") return !(options.steps = Split(value)).empty();
  if (double* number = NumberOf(flag, &options)) return (*number = std::stod(value)) >= 0;
  if (flag == "--threads")
    return (arguments->threads = static_cast<unsigned>(std::stoul(value))) > 0;
  return false;
}

bool Parse(const std::vector<std::string>& words, Arguments* arguments) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
    if (words[i] == "--late-unmarked") {
      arguments->options.late_unmarked = true;
    } else if (words[i] == "--stop") {
      arguments->range.stop_at_first = true;
    } else if (words[i] == "--trace") {
      arguments->options.trace = true;
      if (has_value) arguments->grep = words[++i];
    } else if (!has_value || !ParseFlag(words[i], words[i + 1], arguments)) {
      return false;
    } else {
      ++i;
    }
  }
  return true;
}

int Main(const std::vector<std::string>& words) {
  Arguments arguments;
  if (!Parse(words, &arguments)) {
    std::cerr << kUsage;
    return 2;
  }
  const SimSummary summary =
      arguments.threads == 1 || arguments.options.trace
          ? RunSeeds(arguments.options, arguments.range)
          : RunSeedsInThreads(arguments.options, arguments.range, arguments.threads);
  for (const std::string& line : summary.trace) {
    if (line.find(arguments.grep) != std::string::npos) std::cout << line << "\n";
  }
  std::cout << summary.ToText();
  return summary.bad_runs > 0 ? 1 : 0;
}

}  // namespace
}  // namespace minichat::sim

int main(int argc, char** argv) {
  return minichat::sim::Main({argv + 1, argv + argc});
}
