#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/base/status.h"

namespace minichat::loadtest {

// What load is put on a cluster; may change at any time.
struct LiveSettings {
  std::size_t members = 150;  // of the one room, spread evenly over the nodes
  std::size_t talkers = 15;   // of the members; they take turns
  double rate = 50;           // messages a second
  bool running = true;        // false: the members stay, and nobody talks

  bool operator==(const LiveSettings&) const = default;
};

// A change of settings, as a client of the control port asks for it.
struct LiveChange {
  LiveSettings settings;  // all of them, after the change
  std::string mode;       // of the relay; empty: as it is
};

inline constexpr double kMaxLiveRate = 10'000;

// Reads {"members":…,"talkers":…,"rate":…,"running":…,"mode":…}; what is not there stays as it is.
// Errors: kInvalidArgument names the field and what it takes.
Result<LiveChange> ParseLiveChange(std::string_view body, const LiveSettings& current,
                                   std::size_t max_members);
// Empty: they fit together.
std::string WhyNot(const LiveSettings& settings, std::size_t max_members);

}  // namespace minichat::loadtest
