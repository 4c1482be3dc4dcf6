// minichat-lab-slow-downstream: what a slow service does to those before it, with and without a
// deadline that travels with the work. It starts itself three times more, as the services.
#include <chrono>
#include <cstdio>

#include "loadtest/experiments/chain/hop_program.h"
#include "loadtest/experiments/slow_downstream/chain_report.h"
#include "loadtest/report/experiment_main.h"

namespace {

using namespace minichat;  // NOLINT(google-build-using-namespace)

Result<report::ReportDocument> Run(const report::ExperimentOptions& options) {
  const lab::ChainPlan plan = options.quick ? lab::ChainPlan::Quick() : lab::ChainPlan::Full();
  std::vector<lab::ChainResult> results;
  for (std::size_t round = 1; round <= plan.rounds; ++round) {
    for (const lab::Condition condition : lab::kConditions) {
      std::fprintf(stderr, "slow-downstream: %s, round %zu of %zu\n", TitleOf(condition), round,
                   plan.rounds);
      auto result = RunChain(plan, condition, round, options.out);
      if (!result.ok()) return result.status();
      results.push_back(std::move(result).value());
    }
  }
  const Status raw = report::WriteRawData(options.out, "calls.json", RawDataOf(results));
  if (!raw.ok()) return raw;
  return ReportOf(plan, results);
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto hop = lab::RunHopIfAsked(argc, argv)) return *hop;
  return report::ExperimentMain({argv + 1, argv + argc},
                                "minichat-lab-slow-downstream: what a slow service does to those "
                                "before it.\n",
                                {}, Run);
}
