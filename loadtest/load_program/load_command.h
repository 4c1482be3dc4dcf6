#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "loadtest/client/endpoint.h"

namespace minichat::loadtest {

// What minichat-load is to do; the defaults are its own.
struct LoadCommand {
  std::string cluster_file;     // var/cluster.json, unless nodes are named
  std::vector<Endpoint> nodes;  // instead of a cluster file
  std::size_t members = 150;    // of each room
  std::size_t talkers = 15;     // of each room's members
  double rate = 50;             // messages a second, over all rooms
  std::chrono::milliseconds duration{120'000};
  std::chrono::milliseconds drain{60'000};
  std::size_t rooms = 1;
  std::size_t text_bytes = 200;
  std::string label;  // one that no other run has, unless it was given
  bool allow_misordered = false;
  std::string json_file;  // "-": standard output, instead of the table
  std::string ids_file;
  bool quiet = false;
  std::optional<Endpoint> control;  // live load, steered there; port 0: any free one
  std::string ports_file;
  bool help = false;
  bool version = false;
};

// Errors: kInvalidArgument names the option and what it takes.
Result<LoadCommand> ParseLoadCommand(const std::vector<std::string>& arguments);
std::string LoadUsage();

}  // namespace minichat::loadtest
