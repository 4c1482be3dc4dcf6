#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loadtest/experiments/chain/call_gatherer.h"
#include "server/base/status.h"

namespace minichat::lab {

// One order at one service, as its journal tells it.
struct HopRecord {
  std::uint32_t number = 0;
  std::optional<double> budget_ms;  // left on arrival; empty: unlimited
  double arrived_ms = 0;            // from the start of the run
  double waited_ms = 0;             // for a worker
  double took_ms = 0;               // from then on
  int code = 0;
  bool caller_gone = false;
  std::uint32_t slices = 0;
};

struct HopView {
  std::vector<HopRecord> records;
  std::uint32_t active = 0;
  std::uint64_t refused = 0;
};

// The caller of a chain.
//
// Lifetime:  the gatherers outlive the calls: wait for those before the end.
// Threading: thread-safe.
class HopClient {
 public:
  explicit HopClient(const std::string& address);
  ~HopClient();

  // Without a budget the order has no deadline. Neither blocks.
  void Order(std::uint32_t number, std::optional<std::chrono::milliseconds> budget,
             CallGatherer& results);
  void Ping(CallGatherer& results);
  // As Order(), and waits for its end.
  int OrderAndWait(std::uint32_t number, std::optional<std::chrono::milliseconds> budget);
  int PingAndWait(std::chrono::milliseconds limit);

  Result<HopView> View(TimePoint start);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::lab
