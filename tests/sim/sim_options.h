#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/core/node_options.h"
#include "server/core/protocol_rules.h"

namespace minichat::sim {

// Lies that a simulated service can tell: each breaks one promise, and the observer must notice.
enum class Lie {
  kNone,
  kReportUnlogged,  // P1: the log reports records that it lost
  kForgetIds,       // P2: commits don't find what has a place
  kSwapDeliveries,  // P3: a client gets two events in the wrong order
  kHideHead,        // P4: relays are lost and heads never move
  kSkipOnResume,    // P5: reads lack an event
  kLoseRows,        // P6: the store says that it wrote what it didn't
  kHideNode,        // P9: beats never tell of the last node
  kDropNotices,     // P9: clients never hear who came or went
};

// Times of the product, shrunk so that rare things happen in 50 virtual seconds. In seconds.
struct SimTimes {
  double dedup = 20;    // a client's operation and its wait for the log shrink with it
  double room_ttl = 5;  // of an idle room
  double janitor_age = 6;
  double talk = 34;  // clients stop starting things; later only retries and a last message
};

struct SimOptions {
  std::uint64_t seed = 1;
  std::vector<std::string> faults = {};
  std::vector<std::string> steps = {};  // at which faults are armed; empty: all
  SimTimes times = {};
  double rate = 1;             // of faults; 1: one in three seconds
  double pair = .25;           // chance that two faults come at the same instant
  bool late_unmarked = false;  // clients also retry unmarked after dedup.ttl
  core::ProtocolRules rules = {};
  Lie lie = Lie::kNone;
  bool trace = false;
};

// The run, in virtual seconds.
inline constexpr double kFaultsFrom = 3;
inline constexpr double kFaultsTo = 24;
inline constexpr double kFinale = 38;  // one last message in each room
inline constexpr double kEnd = 50;

inline constexpr std::size_t kPage = 7;

// The node's options in this run: times and bounds are shrunk.
core::NodeOptions NodeOptionsOf(const SimOptions& options);

// "2:17": the 17th number of generation 2.
std::string Show(core::Seq seq);

// Switches rules off by their names ("floor,lease"); false: one is unknown.
bool SwitchOff(const std::string& names, core::ProtocolRules* rules);
std::vector<std::string> RuleNames();
bool FindLie(const std::string& name, Lie* lie);

}  // namespace minichat::sim
