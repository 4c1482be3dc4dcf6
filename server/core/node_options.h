#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "server/base/scheduler.h"
#include "server/core/ports/room_directory.h"
#include "server/core/protocol_rules.h"

namespace minichat::core {

// How one node takes part. Tests shrink its times and bounds.
struct NodeOptions {
  NodeName name;
  std::string relay_address;  // told to the other nodes; empty: no relay
  DirectoryLimits directory;  // the same values as the directory has

  Duration operation = std::chrono::seconds(5);  // a client's request
  Duration log_wait = std::chrono::seconds(4);   // then `unknown`
  Duration directory_trip = std::chrono::milliseconds(500);
  Duration store_trip = std::chrono::seconds(2);
  Duration hold = std::chrono::milliseconds(50);  // an event waits for its predecessor (adr/0007)
  Duration sweep = std::chrono::seconds(1);
  Duration sweep_grace = std::chrono::milliseconds(200);  // behind only if still behind after it
  Duration gap_after = std::chrono::milliseconds(1500);
  Duration young = std::chrono::seconds(2);  // a record without a place may still get it
  Duration persist_linger = std::chrono::milliseconds(100);  // lets commits overtake the persister
  Duration janitor = std::chrono::seconds(3);
  Duration janitor_age = std::chrono::seconds(60);
  Duration doubt = std::chrono::seconds(3);          // a fenced node then registers anew
  Duration presence_hold = std::chrono::seconds(2);  // a change that lasts so long is told
  Duration typing_pause = std::chrono::seconds(1);   // between two notices of a user in a room

  std::size_t page = 200;  // events per read
  std::size_t ring_events = 256;
  std::size_t ring_bytes = 1 << 20;
  std::size_t max_waiting_sends = 1'000;  // about as many as a node works off in a second
  std::size_t max_sessions = 50'000;
  std::size_t max_rooms_per_session = 200;
  std::size_t rooms_per_sweep = 5'000;  // above, the period grows
  // Rooms with more sessions than this get no presence and typing notices; 0: none gets any.
  std::size_t presence_sessions = 200;
  std::size_t max_waiting_whos = 64;

  std::size_t max_waiting_reads = 128;  // of history; each holds a page of at most 1 MiB

  // Is the memory for what waits to be sent to clients used up? Then no sends and no sessions are
  // taken. May be empty.
  std::function<bool()> outbound_full;

  // Patterns (room_patterns.h) of rooms that anyone may enter; the others are private.
  std::vector<std::string> open_rooms = {"*"};

  // lab.repair. False: events go out as they come, and what a relay lost stays lost.
  bool repair = true;

  // lab.fault.die: the process ends at this named step ("after_log", "after_commit"); else empty.
  std::function<void(const char* step)> step_hook;
  ProtocolRules rules;
};

}  // namespace minichat::core
