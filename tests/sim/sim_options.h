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
};

struct SimOptions {
  std::uint64_t seed = 1;
  std::vector<std::string> faults;
  double rate = 1;             // of faults; 1: one in three seconds
  double pair = .25;           // chance that two faults come at the same instant
  bool late_unmarked = false;  // clients also retry unmarked after dedup.ttl
  core::ProtocolRules rules;
  Lie lie = Lie::kNone;
  bool trace = false;
};

// The run, in virtual seconds.
inline constexpr double kFaultsFrom = 3;
inline constexpr double kFaultsTo = 24;
inline constexpr double kQuiet = 34;   // clients stop starting things
inline constexpr double kFinale = 38;  // ... but for one last message in each room
inline constexpr double kEnd = 50;

// Times and bounds, shrunk so that rare things happen in 50 seconds.
inline constexpr double kDedup = 20;
inline constexpr double kRoomTtl = 5;
inline constexpr std::size_t kPage = 7;

inline core::NodeOptions ShrunkNodeOptions(const core::ProtocolRules& rules) {
  core::NodeOptions options;
  options.directory.dedup_ttl = std::chrono::seconds(20);
  options.directory.room_ttl = std::chrono::seconds(5);
  options.directory.window_events = 12;
  options.directory.generation_step = core::Seq{1} << 20;
  options.ring_events = 12;
  options.page = kPage;
  options.janitor_age = std::chrono::seconds(6);
  options.rules = rules;
  return options;
}

// "2:17": the 17th number of generation 2.
std::string Show(core::Seq seq);

// Switches rules off by their names ("floor,lease"); false: one is unknown.
bool SwitchOff(const std::string& names, core::ProtocolRules* rules);
std::vector<std::string> RuleNames();
bool FindLie(const std::string& name, Lie* lie);

}  // namespace minichat::sim
