#include <cstdio>
#include <string>
#include <vector>

#include "loadtest/client/stop_signals.h"
#include "loadtest/smoke/report.h"
#include "loadtest/smoke/smoke.h"

namespace {

using minichat::loadtest::Cluster;
using minichat::loadtest::SmokeOptions;
using minichat::loadtest::SmokeResult;

constexpr int kDifferent = 1;
constexpr int kCannotRun = 2;

int Fail(const minichat::Status& status) {
  std::fprintf(stderr, "minichat-smoke: %s\n", status.message().c_str());
  return kCannotRun;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = minichat::loadtest::ParseSmokeOptions({argv + 1, argv + argc});
  if (!options.ok()) return Fail(options.status());
  if (options->help) {
    std::fputs(minichat::loadtest::SmokeUsage().c_str(), stdout);
    return 0;
  }
  auto cluster = minichat::loadtest::ReadClusterFile(options->cluster_file);
  if (!cluster.ok()) return Fail(cluster.status());
  minichat::loadtest::CountStopSignals();
  minichat::loadtest::Smoke smoke(std::move(cluster).value(), *options,
                                  [] { return minichat::loadtest::StopSignals() == 0; });
  const auto result = smoke.Run();
  if (!result.ok()) return Fail(result.status());
  std::fputs((options->json ? ToJson(*result) : ToTable(*result)).c_str(), stdout);
  if (result->ok()) return 0;
  for (const auto& mode : result->modes) {
    for (const std::string& difference : mode.differences) {
      std::fprintf(stderr, "minichat-smoke: %s: %s\n", mode.mode.c_str(), difference.c_str());
    }
  }
  return kDifferent;
}
