// minichat-lab-transports: see experiment.h. It starts itself once more for each side of a
// measurement.
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "loadtest/experiments/transports/experiment.h"
#include "loadtest/experiments/transports/roles.h"
#include "loadtest/experiments/transports/transports_report.h"
#include "loadtest/report/experiment_main.h"

namespace {

using namespace minichat;  // NOLINT(google-build-using-namespace)

constexpr char kAbout[] =
    "minichat-lab-transports: the same calls over HTTP and gRPC, blocking and asynchronous, and a\n"
    "message to 100 recipients on another node over HTTP and by the relay's modes.\n"
    "Exit 0: every check holds; 1: one does not; 2: can't run.\n\n";

// The parts that --only may name.
constexpr char kTakes[] = "takes";
constexpr char kRelay[] = "relay";

Result<report::ReportDocument> Run(const report::ExperimentOptions& options) {
  transports::Plan plan = options.quick ? transports::QuickPlan() : transports::FullPlan();
  plan.steps = options.Wants(kTakes);
  plan.relays = options.Wants(kRelay);
  const auto progress = [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); };
  const auto measured = transports::RunPlan(plan, progress);
  if (!measured.ok()) return measured.status();
  const Status raw =
      report::WriteRawData(options.out, "runs.json", transports::RawData(measured.value()));
  if (!raw.ok()) return raw;
  return transports::MakeReport(measured.value(), plan);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && args[0] == transports::kRoleOption) return transports::RunRole(args);
  return report::ExperimentMain(args, kAbout, {kTakes, kRelay}, Run);
}
