#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "server/base/status.h"

namespace minichat::lab {

struct ClusterPlan {
  std::size_t nodes = 3;
  std::size_t rooms = 6;
  std::size_t members = 12;  // of each room
  // limits.waiting_sends of each node: so few that what waits is worked off in milliseconds.
  std::size_t waiting_sends = 12;
  std::size_t in_flight = 30;  // at first; no more than all nodes together let wait
  double factor = 2;           // of the capacity
  std::chrono::seconds find{15};
  std::chrono::seconds calm{10};  // before and after, at half the capacity
  std::chrono::seconds overload{60};
  std::chrono::seconds patience{30};  // for what was acked and has not arrived or is not stored

  static ClusterPlan Full() { return {}; }
  static ClusterPlan Quick();
  // As Full(), with a bound that lets more in than the nodes work off in 50 ms.
  static ClusterPlan Loose();
};

// One second of the run.
struct ClusterSecond {
  double at_s = 0;  // from the start of the first phase
  std::uint64_t sent = 0;
  std::uint64_t acked = 0;
  std::uint64_t refused = 0;
  double p95_ms = 0;      // of what was delivered
  double memory_mib = 0;  // resident, all nodes together
  double nodes_cpu = 0;   // cores that they use
  double generator_cpu = 0;
};

// One stretch of load.
struct ClusterPhase {
  std::string name;
  double rate = 0;  // that was sent, a second; 0: as many as could be, so many at a time
  double from_s = 0;
  double to_s = 0;       // end of the sending
  double drained_s = 0;  // everything that was acked had arrived
  std::uint64_t sent = 0;
  std::uint64_t acked = 0;
  std::map<std::string, std::uint64_t> errors;  // by code
  std::uint64_t unanswered = 0;
  std::uint64_t lost = 0;
  std::uint64_t repeated = 0;
  std::uint64_t misordered = 0;
  std::uint64_t late_sends = 0;
  double ack_p50_ms = 0;
  double ack_p99_ms = 0;
  double delivery_p95_ms = 0;
  double refusal_p50_ms = 0;
  double refusal_p99_ms = 0;
  double refusal_max_ms = 0;
};

struct ClusterResult {
  double capacity = 0;               // messages a second: the larger of the next two
  double acked_closed = 0;           // with so many messages at a time
  double acked_open = 0;             // when `factor` times as many were sent
  std::vector<ClusterPhase> phases;  // calm, overload, after
  std::vector<ClusterSecond> seconds;
  std::size_t closed_connections = 0;
  // Ids: acked, in Postgres, in the log; and how many of one are missing in another.
  std::size_t acked_ids = 0;
  std::size_t stored_ids = 0;
  std::size_t logged_ids = 0;
  std::size_t acked_not_stored = 0;
  std::size_t acked_not_logged = 0;
  std::size_t stored_not_acked = 0;

  const ClusterPhase& Phase(const std::string& name) const;
};

// Three nodes on services of their own: finds what they can do (a closed model first, then an open
// one above it, as a closed one also waits for its callers), puts so many times as much on them,
// lets the load fall, and compares by id what was acked with what is stored and logged.
Result<ClusterResult> RunCluster(const ClusterPlan& plan);

}  // namespace minichat::lab
