#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "server/base/status.h"

namespace minichat::loadtest {

// What the smoke run does; the defaults are a quick look at a fresh cluster.
struct SmokeOptions {
  std::string cluster_file = "var/cluster.json";
  std::vector<std::string> modes{"bulk", "single", "stream"};
  std::size_t messages = 120;  // per mode
  double rate = 100;           // messages per second, into all rooms together
  std::size_t rooms = 3;
  std::size_t members = 6;            // sessions per room, spread over the nodes
  std::chrono::seconds patience{20};  // for what must still arrive once all was sent
  bool json = false;
  bool help = false;
};

Result<SmokeOptions> ParseSmokeOptions(const std::vector<std::string>& args);
std::string SmokeUsage();

}  // namespace minichat::loadtest
