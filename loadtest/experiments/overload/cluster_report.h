#pragma once

#include <string>

#include "loadtest/experiments/overload/cluster_run.h"
#include "loadtest/report/report_document.h"

namespace minichat::lab {

// Adds what the cluster showed: one section, the checks and the findings.
void AddCluster(const ClusterPlan& plan, const ClusterResult& result, bool quick,
                report::ReportDocument* document);

std::string RawDataOf(const ClusterResult& result);

}  // namespace minichat::lab
