#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loadtest/client/cluster_file.h"
#include "loadtest/client/metrics_text.h"

namespace minichat::loadtest {

// The admin side of a whole cluster: its relay mode and the sums of its nodes' metrics.
//
// Threading: thread-compatible. Calls block for at most some seconds.
class ClusterAdmin {
 public:
  explicit ClusterAdmin(Cluster cluster) : cluster_(std::move(cluster)) {}

  // The mode that was set for the whole cluster at run time; none: each node follows its config.
  Result<std::optional<std::string>> ClusterMode() const;
  // None clears it.
  Status SetClusterMode(const std::optional<std::string>& mode) const;
  // Does every node see all others alive? It relays only to those.
  bool AllNodesSeeEachOther() const;
  // Does every node relay in `mode`?
  bool AllNodesIn(std::string_view mode) const;
  // Fails when a node can't be scraped: half a sum would be worse than none.
  Result<std::vector<MetricsSnapshot>> Scrape() const;

 private:
  Cluster cluster_;
};

// Names of the nodes that this one sees alive, itself among them; empty when it doesn't answer.
std::set<std::string> LiveNodes(const Endpoint& admin, const std::string& admin_key = {});

double SumOver(const std::vector<MetricsSnapshot>& nodes, std::string_view name,
               std::initializer_list<MetricsSnapshot::Label> labels = {});

}  // namespace minichat::loadtest
