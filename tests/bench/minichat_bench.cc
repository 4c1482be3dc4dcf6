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
  std::fputs("  --json FILE    every sample, besides the table\n", to);
}

std::vector<Group> Chosen(const Arguments& arguments) {
  std::vector<Group> chosen;
  for (Group& group : minichat::bench::AllGroups()) {
    group.pace.duration = arguments.seconds;
    const auto& only = arguments.only;
    if (only.empty() || std::find(only.begin(), only.end(), group.name) != only.end())
      chosen.push_back(std::move(group));
  }
  return chosen;
}

bool WriteFile(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fputs((text + "\n").c_str(), file) >= 0;
  return std::fclose(file) == 0 && written;
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
      std::fprintf(stderr, "minichat-bench: %s\n", result.status().message().c_str());
      return kCannotRun;
    }
    results.push_back(std::move(result).value());
  }
  std::fputs(ToTable(results).c_str(), stdout);
  if (!arguments.json_file.empty() && !WriteFile(arguments.json_file, ToJson(results))) {
    std::fprintf(stderr, "minichat-bench: cannot write %s\n", arguments.json_file.c_str());
    return kCannotRun;
  }
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
