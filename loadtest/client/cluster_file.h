#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadtest/client/endpoint.h"

namespace minichat::loadtest {

struct ClusterNode {
  std::string name;
  int pid = 0;
  Endpoint client;
  Endpoint admin;
  Endpoint relay;
};

// A running cluster, as `./dev up` describes it in var/cluster.json and every tool reads it.
struct Cluster {
  std::vector<ClusterNode> nodes;
  std::string redis;     // redis://…
  std::string kafka;     // host:port
  std::string postgres;  // postgresql://…
  std::string auth;      // "insecure": a user's name is enough
  std::string admin_key;
};

Result<Cluster> ParseCluster(std::string_view text);
Result<Cluster> ReadClusterFile(const std::string& path);

}  // namespace minichat::loadtest
