#pragma once

#include <string>

#include "loadtest/experiments/overload/cluster_run.h"
#include "loadtest/report/report_document.h"

namespace minichat::lab {

// How much the times of a run are worth.
enum class Times {
  kMustHold,
  kQuick,    // a short run on a machine that does other things: only that half are quick
  kForShow,  // of a cluster that is set up to be slow
};

// Adds what the cluster showed: one section, the checks and the findings. `name` tells it from
// other clusters.
void AddCluster(const std::string& name, const ClusterPlan& plan, const ClusterResult& result,
                Times times, report::ReportDocument* document);

std::string RawDataOf(const ClusterResult& result);

}  // namespace minichat::lab
