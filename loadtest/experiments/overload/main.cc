// minichat-lab-overload: what becomes of more than can be served. It starts itself once more for
// each service.
#include <cstdio>

#include "loadtest/experiments/chain/hop_program.h"
#include "loadtest/experiments/overload/breaker_report.h"
#include "loadtest/experiments/overload/cluster_report.h"
#include "loadtest/experiments/overload/pool_report.h"
#include "loadtest/report/experiment_main.h"

namespace {

using namespace minichat;  // NOLINT(google-build-using-namespace)

constexpr const char* kPools = "pools";
constexpr const char* kBreaker = "breaker";
constexpr const char* kCluster = "cluster";

Status RunPools(const report::ExperimentOptions& options, report::ReportDocument* document) {
  std::vector<lab::PoolResult> results;
  for (const lab::PoolCondition& condition :
       {lab::SyncCondition(options.quick), lab::RejectCondition(options.quick),
        lab::CallerRunsCondition(options.quick), lab::UnboundedCondition(options.quick)}) {
    std::fprintf(stderr, "overload: pool, %s\n", condition.name.c_str());
    auto result = RunPool(condition, options.out);
    if (!result.ok()) return result.status();
    results.push_back(std::move(result).value());
  }
  AddPools(results, options.quick, document);
  return report::WriteRawData(options.out, "pools.json", RawDataOf(results));
}

Status RunBreakerPart(const report::ExperimentOptions& options, report::ReportDocument* document) {
  std::fprintf(stderr, "overload: breaker\n");
  const lab::BreakerPlan plan =
      options.quick ? lab::BreakerPlan::Quick() : lab::BreakerPlan::Full();
  const auto result = RunBreaker(plan, options.out);
  if (!result.ok()) return result.status();
  AddBreaker(plan, *result, document);
  return report::WriteRawData(options.out, "breaker.json", RawDataOf(*result));
}

Status RunOneCluster(const std::string& name, const lab::ClusterPlan& plan, lab::Times times,
                     const report::ExperimentOptions& options, report::ReportDocument* document) {
  const auto result = RunCluster(plan);
  if (!result.ok()) return result.status();
  AddCluster(name, plan, *result, times, document);
  return report::WriteRawData(options.out, name + ".json", RawDataOf(*result));
}

Status RunClusterPart(const report::ExperimentOptions& options, report::ReportDocument* document) {
  if (options.quick) {
    return RunOneCluster("cluster", lab::ClusterPlan::Quick(), lab::Times::kQuick, options,
                         document);
  }
  const Status tight =
      RunOneCluster("cluster", lab::ClusterPlan::Full(), lab::Times::kMustHold, options, document);
  if (!tight.ok()) return tight;
  return RunOneCluster("cluster-with-a-loose-bound", lab::ClusterPlan::Loose(),
                       lab::Times::kForShow, options, document);
}

Result<report::ReportDocument> Run(const report::ExperimentOptions& options) {
  report::ReportDocument document;
  document.experiment = "overload";
  document.title = "More than can be served";
  document.summary =
      "What a service does with more requests than it has workers for decides whether its callers "
      "wait for ever, are told no at once, or bring it down. Measured on a pool of workers with "
      "each of its policies, on the breaker in front of a service that is full, and on a whole "
      "cluster at twice its capacity.";
  if (options.Wants(kPools)) {
    if (const Status s = RunPools(options, &document); !s.ok()) return s;
  }
  if (options.Wants(kBreaker)) {
    if (const Status s = RunBreakerPart(options, &document); !s.ok()) return s;
  }
  if (options.Wants(kCluster)) {
    if (const Status s = RunClusterPart(options, &document); !s.ok()) return s;
  }
  return document;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto hop = lab::RunHopIfAsked(argc, argv)) return *hop;
  return report::ExperimentMain({argv + 1, argv + argc},
                                "minichat-lab-overload: what becomes of more than can be served.\n",
                                {kPools, kBreaker, kCluster}, Run);
}
