#include "loadtest/report/experiment_main.h"

#include <chrono>
#include <cstdio>
#include <exception>

namespace minichat::report {
namespace {

constexpr int kBroken = 1;
constexpr int kCannotRun = 2;

std::int64_t WallMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return kCannotRun;
}

// The helpers that start services say by exceptions what doesn't start.
Result<ReportDocument> Run(const ExperimentOptions& options, const Experiment& experiment) {
  try {
    return experiment(options);
  } catch (const std::exception& e) {
    return Internal(e.what());
  }
}

}  // namespace

int ExperimentMain(const std::vector<std::string>& args, const std::string& about,
                   const std::vector<std::string>& parts, const Experiment& experiment) {
  const auto options = ParseExperimentOptions(args, parts);
  if (!options.ok()) return Fail(options.status().message());
  if (options->help) {
    std::fputs((about + ExperimentUsage(parts)).c_str(), stdout);
    return 0;
  }
  const std::int64_t started = WallMillis();
  auto document = Run(*options, experiment);
  if (!document.ok()) return Fail(document.status().ToString());
  document->started_at_ms = started;
  document->ended_at_ms = WallMillis();
  document->quick = options->quick;
  const Status written = WriteReport(options->out, *document);
  if (!written.ok()) return Fail(written.message());
  std::fputs(ToText(*document).c_str(), stdout);
  return document->ok() ? 0 : kBroken;
}

}  // namespace minichat::report
