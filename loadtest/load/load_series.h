#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "loadtest/client/client_loop.h"
#include "loadtest/load/latency_histogram.h"

namespace minichat::loadtest {

// One second of a run.
struct LoadSecond {
  std::size_t second = 0;  // from the first send; a stalled generator skips some
  std::uint64_t sent = 0;
  std::uint64_t acked = 0;
  std::uint64_t received = 0;
  double p50_ms = 0;  // of what was received in it, from the intended time of sending
  double p95_ms = 0;
  double max_ms = 0;
  double cpu_share = 0;  // of this process, of one core
};

// User and system time of this process so far.
double OwnCpuSeconds();

// What each second of a run brought, and what it cost the generator.
//
// Threading: thread-compatible.
// Limits:    keeps the last `keep` seconds.
class LoadSeries {
 public:
  explicit LoadSeries(Clock::time_point start,
                      std::size_t keep = std::numeric_limits<std::size_t>::max());

  void Sent() { ++current_.sent; }
  void Acked() { ++current_.acked; }
  void Received(std::chrono::nanoseconds latency);
  // Ends the second that goes on and begins the next.
  const LoadSecond& EndSecond(Clock::time_point now);
  // Has the second that goes on anything in it?
  bool empty() const;

  const std::vector<LoadSecond>& seconds() const { return seconds_; }
  double peak_cpu_share() const { return peak_cpu_share_; }

 private:
  const Clock::time_point start_;
  const std::size_t keep_;
  Clock::time_point begun_;
  double cpu_begun_ = OwnCpuSeconds();
  LoadSecond current_;
  LatencyHistogram latency_;
  std::vector<LoadSecond> seconds_;
  double peak_cpu_share_ = 0;
};

}  // namespace minichat::loadtest
