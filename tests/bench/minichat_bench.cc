// minichat-bench: what a delivered message costs three real nodes, beside the raw floor of writing
// to sockets and in each relay mode. The method and the results are in docs/performance.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "tests/bench/bench_report.h"
#include "tests/bench/idle_memory.h"
#include "tests/bench/slow_readers.h"

namespace {

using minichat::Result;
using minichat::bench::Group;
using minichat::bench::GroupResult;
using minichat::bench::GroupRun;
using minichat::test::ServiceSet;

constexpr int kInvalid = 1;
constexpr int kCannotRun = 2;

constexpr const char* kUsage =
    "minichat-bench: CPU time of three nodes per delivered message, by relay mode, beside three\n"
    "processes that only send. The nodes run $MINICHAT_BIN, which should be a release build.\n"
    "\n"
    "  --rounds N     stretches of each condition, taken in turns (3)\n"
    "  --seconds S    per stretch (10)\n"
    "  --only GROUP   one group; may be repeated. The groups:\n";

constexpr const char* kIdleMemory = "idle-memory";
constexpr const char* kSlowReaders = "slow-readers";
constexpr std::size_t kIdleConnections = 5'000;

struct Arguments {
  std::size_t rounds = 3;
  std::chrono::seconds seconds{10};
  std::vector<std::string> only;
  std::string json_file;
  bool help = false;
};

bool SetCount(const char* value, long* count) {
  char* end = nullptr;
  *count = std::strtol(value, &end, 10);
  return *end == '\0' && *count > 0 && *count < 10'000;
}

bool IsGroup(const std::string& name) {
  if (name == kIdleMemory || name == kSlowReaders) return true;
  const std::vector<Group> groups = minichat::bench::AllGroups();
  return std::any_of(groups.begin(), groups.end(), [&](const Group& g) { return g.name == name; });
}

bool SetOption(const std::string& name, const char* value, Arguments* arguments) {
  long count = 0;
  if (name == "--only") {
    arguments->only.emplace_back(value);
    return IsGroup(value);
  }
  if (name == "--json") {
    arguments->json_file = value;
    return true;
  }
  if (!SetCount(value, &count)) return false;
  if (name == "--rounds") arguments->rounds = static_cast<std::size_t>(count);
  if (name == "--seconds") arguments->seconds = std::chrono::seconds(count);
  return name == "--rounds" || name == "--seconds";
}

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      arguments->help = true;
    } else if (i + 1 == argc || !SetOption(argv[i], argv[i + 1], arguments)) {
      return false;
    } else {
      ++i;
    }
  }
  return true;
}

void PrintUsage(std::FILE* to) {
  std::fputs(kUsage, to);
  for (const Group& group : minichat::bench::AllGroups())
    std::fprintf(to, "                   %-18s %s\n", group.name.c_str(), group.title.c_str());
  std::fprintf(to, "                   %-18s memory of %zu idle connections\n", kIdleMemory,
               kIdleConnections);
  std::fprintf(to,
               "                   %-18s clients that stop reading; six minutes, only by name\n",
               kSlowReaders);
  std::fputs("  --json FILE    every sample, besides the table\n", to);
}

bool IsNamed(const Arguments& arguments, const std::string& name) {
  return std::find(arguments.only.begin(), arguments.only.end(), name) != arguments.only.end();
}

std::vector<Group> Chosen(const Arguments& arguments) {
  std::vector<Group> chosen;
  for (Group& group : minichat::bench::AllGroups()) {
    group.pace.duration = arguments.seconds;
    if (arguments.only.empty() || IsNamed(arguments, group.name))
      chosen.push_back(std::move(group));
  }
  return chosen;
}

bool Tell(const minichat::Status& status) {
  std::fprintf(stderr, "minichat-bench: %s\n", status.message().c_str());
  return false;
}

bool WriteFile(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fputs((text + "\n").c_str(), file) >= 0;
  return std::fclose(file) == 0 && written;
}

// What isn't a group of conditions; false when there is no figure.
bool RunOthers(ServiceSet& services, const Arguments& arguments) {
  if (arguments.only.empty() || IsNamed(arguments, kIdleMemory)) {
    minichat::loadtest::ClientLoop loop;
    auto cluster = minichat::bench::BenchCluster::Start(services, loop, {});
    if (!cluster.ok()) return Tell(cluster.status());
    const auto memory = minichat::bench::MeasureIdleMemory(**cluster, kIdleConnections);
    if (!memory.ok()) return Tell(memory.status());
    std::fputs(ToTable(*memory).c_str(), stdout);
  }
  if (IsNamed(arguments, kSlowReaders)) {
    const auto result = minichat::bench::MeasureSlowReaders(services, {});
    if (!result.ok()) return Tell(result.status());
    std::fputs(ToTable(*result).c_str(), stdout);
    return result->invalid.empty();
  }
  return true;
}

int Run(const Arguments& arguments) {
  ServiceSet* services = ServiceSet::Shared();
  if (services == nullptr) {
    std::fputs("minichat-bench: redis, postgres or kafka is not installed\n", stderr);
    return kCannotRun;
  }
  std::vector<GroupResult> results;
  for (Group& group : Chosen(arguments)) {
    Result<GroupResult> result = GroupRun(*services, std::move(group), arguments.rounds).Run();
    if (!result.ok()) {
      Tell(result.status());
      return kCannotRun;
    }
    results.push_back(std::move(result).value());
  }
  std::fputs(ToTable(results).c_str(), stdout);
  if (!arguments.json_file.empty() && !WriteFile(arguments.json_file, ToJson(results))) {
    std::fprintf(stderr, "minichat-bench: cannot write %s\n", arguments.json_file.c_str());
    return kCannotRun;
  }
  if (!RunOthers(*services, arguments)) return kInvalid;
  const bool valid =
      std::all_of(results.begin(), results.end(), [](const auto& r) { return r.valid(); });
  return valid ? 0 : kInvalid;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, &arguments) || arguments.help) {
    PrintUsage(arguments.help ? stdout : stderr);
    return arguments.help ? 0 : kCannotRun;
  }
  try {
    return Run(arguments);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "minichat-bench: %s\n", e.what());
    return kCannotRun;
  }
}
