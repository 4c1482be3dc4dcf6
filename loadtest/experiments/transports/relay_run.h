#pragma once

#include <cstdint>

#include "loadtest/experiments/transports/relay_sending.h"
#include "loadtest/experiments/transports/stretch.h"

namespace minichat::transports {

struct RelayRunResult {
  std::uint64_t messages = 0;    // all, numbered from 1
  std::uint64_t measured = 0;    // in the measured stretch
  std::uint64_t incomplete = 0;  // not all recipients were answered "queued"
  double p50_ms = 0;             // from a message's start until all recipients were answered
  double p95_ms = 0;
  double p99_ms = 0;
  Usage usage;
};

// Keeps `in_flight` messages under way: when one is with all its recipients, the next begins. The
// first incomplete one ends the run.
//
// Threading: holds the calling thread until every message has ended.
RelayRunResult RunRelay(RelaySending& sending, std::size_t in_flight, const Times& times,
                        pid_t peer);

}  // namespace minichat::transports
