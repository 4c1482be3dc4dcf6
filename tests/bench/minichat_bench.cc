// minichat-bench: CPU time of the nodes per delivered message, by relay mode, on three real nodes.
// The method and the results are in docs/performance.md.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "tests/bench/delivery_cost.h"

namespace {

namespace json = boost::json;
using minichat::Result;
using minichat::bench::CostOptions;
using minichat::bench::CostResult;
using minichat::bench::CostSample;
using minichat::bench::DeliveryCost;
using minichat::test::ServiceSet;
using minichat::test::TestCluster;

constexpr int kInvalid = 1;
constexpr int kCannotRun = 2;

constexpr const char* kUsage =
    "minichat-bench: CPU time of three nodes per delivered message, by relay mode.\n"
    "The nodes run $MINICHAT_BIN, which should be a release build.\n"
    "\n"
    "  --rounds N     stretches of each mode, taken in turns (4)\n"
    "  --seconds S    per stretch (15)\n"
    "  --members M    of the one room (150)\n"
    "  --rate R       messages per second (50)\n"
    "  --modes A,B    relay modes, taken in turns (single,bulk,stream)\n"
    "  --only B       stored (Kafka and Postgres) or memory (neither; both are measured)\n"
    "  --json         the result as JSON\n";

struct Arguments {
  CostOptions cost;
  std::vector<std::string> backends{"stored", "memory"};
  bool json = false;
  bool help = false;
};

bool SetCount(const char* name, const char* value, CostOptions* cost) {
  const auto count = static_cast<std::size_t>(std::strtoul(value, nullptr, 10));
  if (std::strcmp(name, "--rounds") == 0) cost->rounds = count;
  if (std::strcmp(name, "--seconds") == 0) cost->seconds = count;
  if (std::strcmp(name, "--members") == 0) cost->members = count;
  if (std::strcmp(name, "--rate") == 0) cost->rate = static_cast<double>(count);
  return count > 0;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

bool IsCount(const std::string& name) {
  return name == "--rounds" || name == "--seconds" || name == "--members" || name == "--rate";
}

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--json") {
      arguments->json = true;
    } else if (name == "--help") {
      arguments->help = true;
    } else if (++i == argc) {
      return false;
    } else if (name == "--modes") {
      arguments->cost.modes = SplitAtCommas(argv[i]);
    } else if (name == "--only") {
      arguments->backends = {argv[i]};
    } else if (!IsCount(name) || !SetCount(name.c_str(), argv[i], &arguments->cost)) {
      return false;
    }
  }
  const std::string& first = arguments->backends.front();
  const bool known = first == "stored" || first == "memory";
  return known && !arguments->cost.modes.empty();
}

pid_t RedisPid(ServiceSet& services) {
  const std::string info = services.redis().Command({"INFO", "server"});
  const std::size_t at = info.find("process_id:");
  return at == std::string::npos ? 0 : std::atoi(info.c_str() + at + std::strlen("process_id:"));
}

Result<CostResult> Measure(ServiceSet& services, const std::string& backends,
                           const CostOptions& options) {
  minichat::test::TestClusterOptions cluster_options;
  cluster_options.nodes = static_cast<int>(options.nodes);
  if (backends == "memory") {
    cluster_options.flags = {{"lab.enabled", "true"}, {"log", "memory:"}, {"store", "memory:"}};
    // Another generation than the fixed one of the memory backends must not be found.
    services.redis().Restart();
  }
  TestCluster cluster(services, cluster_options);
  return DeliveryCost(cluster, RedisPid(services), options).Measure(backends);
}

void PrintTable(const std::vector<CostResult>& results, const CostOptions& options) {
  std::printf(
      "\n%zu nodes, one room of %zu members, %g messages/s, %zu s a stretch, "
      "the modes in turns\n\n",
      options.nodes, options.members, options.rate, options.seconds);
  std::printf("%-8s %-7s %20s %18s %14s %14s\n", "backends", "mode", "node CPU us/delivery",
              "redis us/delivery", "p50 ms", "p99 ms");
  for (const CostResult& result : results) {
    for (const CostSample& s : result.samples) {
      std::printf("%-8s %-7s %20.2f %18.2f %14.1f %14.1f %s\n", result.backends.c_str(),
                  s.mode.c_str(), s.node_cpu_us, s.redis_cpu_us, s.delivery_p50_ms,
                  s.delivery_p99_ms, s.invalid.c_str());
    }
    for (const std::string& mode : options.modes) {
      std::printf("%-8s %-7s median %.2f us/delivery, %.2f times the %s of the same round\n",
                  result.backends.c_str(), mode.c_str(), result.Median(mode),
                  result.Ratio(mode, options.modes.back()), options.modes.back().c_str());
    }
    std::printf("%-8s idle nodes: %.1f ms CPU a second\n\n", result.backends.c_str(),
                result.idle_cpu_ms_per_s);
  }
}

json::object ToJson(const CostResult& result, const std::vector<std::string>& modes) {
  json::object medians, ratios;
  for (const std::string& mode : modes) {
    medians[mode] = result.Median(mode);
    ratios[mode] = result.Ratio(mode, modes.back());
  }
  json::array samples;
  for (const CostSample& s : result.samples) {
    samples.push_back(json::object{{"mode", s.mode},
                                   {"node_cpu_us_per_delivery", s.node_cpu_us},
                                   {"redis_cpu_us_per_delivery", s.redis_cpu_us},
                                   {"deliveries", s.deliveries},
                                   {"delivery_p50_ms", s.delivery_p50_ms},
                                   {"delivery_p99_ms", s.delivery_p99_ms},
                                   {"invalid", s.invalid}});
  }
  return {{"backends", result.backends},
          {"median_us", std::move(medians)},
          {"ratio_to_last_mode", std::move(ratios)},
          {"idle_cpu_ms_per_s", result.idle_cpu_ms_per_s},
          {"samples", std::move(samples)}};
}

void PrintJson(const std::vector<CostResult>& results, const CostOptions& options) {
  json::array list;
  for (const CostResult& result : results) list.push_back(ToJson(result, options.modes));
  const json::object all{{"nodes", options.nodes},   {"members", options.members},
                         {"rate", options.rate},     {"seconds", options.seconds},
                         {"rounds", options.rounds}, {"results", std::move(list)}};
  std::printf("%s\n", json::serialize(all).c_str());
}

int Run(const Arguments& arguments) {
  ServiceSet* services = ServiceSet::Shared();
  if (services == nullptr) {
    std::fprintf(stderr, "minichat-bench: redis, postgres or kafka is not installed\n");
    return kCannotRun;
  }
  std::vector<CostResult> results;
  for (const std::string& backends : arguments.backends) {
    Result<CostResult> result = Measure(*services, backends, arguments.cost);
    if (!result.ok()) {
      std::fprintf(stderr, "minichat-bench: %s\n", result.status().message().c_str());
      return kCannotRun;
    }
    results.push_back(std::move(result).value());
  }
  if (arguments.json) {
    PrintJson(results, arguments.cost);
  } else {
    PrintTable(results, arguments.cost);
  }
  for (const CostResult& result : results) {
    if (!result.valid()) return kInvalid;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, &arguments) || arguments.help) {
    std::fputs(kUsage, arguments.help ? stdout : stderr);
    return arguments.help ? 0 : kCannotRun;
  }
  try {
    return Run(arguments);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "minichat-bench: %s\n", e.what());
    return kCannotRun;
  }
}
