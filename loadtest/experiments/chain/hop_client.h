#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
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
// Lifetime:  outlives its calls; may end as soon as they have told their ends. The gatherers, and
//            what the functions use, outlive the calls.
// Threading: thread-safe.
class HopClient {
 public:
  explicit HopClient(const std::string& address);
  ~HopClient();

  // gRPC's code, on one of gRPC's threads.
  using OnEnded = std::function<void(int code)>;

  // Without a budget there is no deadline. Neither blocks.
  void Order(std::uint32_t number, std::optional<std::chrono::milliseconds> budget,
             OnEnded on_ended);
  void Ping(std::optional<std::chrono::milliseconds> budget, OnEnded on_ended);
  // The same, and the end goes to `results`; a Ping without a deadline.
  void Order(std::uint32_t number, std::optional<std::chrono::milliseconds> budget,
             CallGatherer& results);
  void Ping(CallGatherer& results);
  // The same, and waits for the end.
  int OrderAndWait(std::uint32_t number, std::optional<std::chrono::milliseconds> budget);
  int PingAndWait(std::chrono::milliseconds limit);

  // What the service's journal says. Needs no worker there.
  Result<HopView> View(TimePoint start, std::chrono::milliseconds limit = std::chrono::seconds(5));

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::lab
