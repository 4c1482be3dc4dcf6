#pragma once

#include <string>
#include <vector>

#include "loadtest/load/load_generator.h"

namespace minichat::bench {

// One way of doing the same work; the conditions of a group are measured in turns.
struct Condition {
  std::string name;
  std::string mode;      // the relay's; empty: the raw floor
  bool coalesce = true;  // lab.coalesce
};

// Conditions that are compared with each other: the same room, the same pace, the same services.
struct Group {
  std::string name;
  std::string title;
  bool stored = true;  // Kafka and Postgres; else log and store in memory. Redis always.
  std::size_t members = 150;
  loadtest::LoadPace pace;
  std::vector<Condition> conditions;  // ratios are to the first
};

// All groups, in the order of docs/performance.md.
std::vector<Group> AllGroups();

}  // namespace minichat::bench
