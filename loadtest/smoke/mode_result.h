#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "loadtest/smoke/reconcile.h"
#include "loadtest/smoke/smoke_options.h"

namespace minichat::loadtest {

// What one mode's run came to.
struct ModeResult {
  std::string mode;
  std::size_t sent = 0;
  std::size_t acked = 0;
  std::map<std::string, std::size_t> errors;  // by code
  Received received;
  std::size_t pairs = 0;
  std::size_t pairs_expected = 0;
  std::size_t relay_calls = 0;  // seen, from the nodes' counters
  std::size_t relay_calls_computed = 0;
  std::size_t relay_calls_failed = 0;  // among the seen: those that were not answered OK
  std::size_t relay_calls_other = 0;   // in any other mode
  std::size_t pulls = 0;               // for holes and by the sweep
  std::int64_t log_increase = 0;       // records, all partitions
  std::size_t rows = 0;
  std::size_t closed_sessions = 0;
  std::size_t late_sends = 0;
  Latency ack;
  Latency delivery;
  std::vector<std::string> differences;
};

// Adds one difference for each figure that is not what it must be.
void JudgeFigures(ModeResult* result);

struct SmokeResult {
  SmokeOptions options;
  std::size_t nodes = 0;
  std::vector<ModeResult> modes;

  bool ok() const;
};

}  // namespace minichat::loadtest
