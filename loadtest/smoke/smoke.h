#pragma once

#include <functional>
#include <string>
#include <vector>

#include "loadtest/client/cluster_admin.h"
#include "loadtest/smoke/mode_result.h"
#include "loadtest/smoke/smoke_options.h"

namespace minichat::loadtest {

// Sends a plan through a cluster in one relay mode after the other and reconciles all copies.
//
// Threading: confined to one thread. Blocks.
// Errors:    a Status when the run could not be made; differences are in the result.
class Smoke {
 public:
  // `go_on` is asked about once a second; its false ends the run, which is then aborted.
  Smoke(
      Cluster cluster, SmokeOptions options, std::function<bool()> go_on = [] { return true; });

  // The relay mode of before is set again at the end, whatever happened.
  Result<SmokeResult> Run();

 private:
  struct Before {
    std::vector<MetricsSnapshot> metrics;
    LogOffsets log;
  };

  Result<ModeResult> RunMode(const std::string& mode);
  Status EnterMode(const std::string& mode);
  Status WarmUp(const std::string& mode);
  Result<Before> Look();
  Status AddCounters(const Before& before, ModeResult* result);
  void WaitForRelayCalls(const Before& before, const ModeResult& result);
  Status AddLog(const LoadPlan& plan, const LoadRun& run, const Before& before, ModeResult* result);
  Status AddRows(const LoadPlan& plan, LoadRun& run, ModeResult* result);
  void WaitForRows(const LoadPlan& plan, std::size_t expected);

  const Cluster cluster_;
  const SmokeOptions options_;
  const std::function<bool()> go_on_;
  const std::string run_label_;
  ClusterAdmin admin_;
  KafkaInspector kafka_;
  PostgresInspector postgres_;
  ClientLoop loop_;
};

}  // namespace minichat::loadtest
