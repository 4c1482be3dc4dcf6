#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "loadtest/load/latency_histogram.h"
#include "server/base/mutex.h"
#include "server/base/status.h"

namespace minichat::transports {

// What the callers saw: every take, and in the measured stretch of time how long it took.
//
// That the answers were right is seen without keeping them: of an item that had N, k takes one
// after the other must have been answered N-1 … N-k, in any order, so that their sum is known.
//
// Threading: thread-safe.
class TakeAccount {
 public:
  TakeAccount(std::size_t items, std::uint64_t of_each);

  // One take that was answered: `left` of the item afterwards. `latency` from the caller's wish,
  // `in_hand` from the moment at which it was begun.
  void Taken(std::uint32_t item, std::uint64_t left, std::chrono::nanoseconds latency,
             std::chrono::nanoseconds in_hand);
  void Failed(const Status& why);

  // Latencies count between these two.
  void BeginMeasuring();
  void EndMeasuring();

  struct Figures {
    std::uint64_t takes = 0;     // all
    std::uint64_t measured = 0;  // in the measured stretch
    std::uint64_t failed = 0;
    std::uint64_t wrong_items = 0;  // items whose answers don't add up
    double p50_ms = 0;
    double p95_ms = 0;
    double p99_ms = 0;
    double in_hand_p50_ms = 0;
    std::string first_failure;
  };
  Figures Read() const;

 private:
  struct Item {
    std::uint64_t takes = 0;
    std::uint64_t sum_of_left = 0;
  };

  const std::uint64_t of_each_;
  mutable Mutex mutex_;
  std::vector<Item> items_ MINICHAT_GUARDED_BY(mutex_);
  bool measuring_ MINICHAT_GUARDED_BY(mutex_) = false;
  std::uint64_t failed_ MINICHAT_GUARDED_BY(mutex_) = 0;
  std::string first_failure_ MINICHAT_GUARDED_BY(mutex_);
  loadtest::LatencyHistogram latency_ MINICHAT_GUARDED_BY(mutex_);
  loadtest::LatencyHistogram in_hand_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace minichat::transports
