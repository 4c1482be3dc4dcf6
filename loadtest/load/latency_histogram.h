#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace minichat::loadtest {

// Latencies of any number of samples in a fixed space: buckets of 1 µs up to 2 ms, above that of at
// most 0.1 % of the value.
//
// Threading: thread-compatible.
// Limits:    16 KiB a power of two; values above an hour count as an hour, below zero as zero.
class LatencyHistogram {
 public:
  void Add(std::chrono::nanoseconds latency);
  // All samples of another one.
  void Add(const LatencyHistogram& other);
  std::uint64_t count() const { return count_; }
  // The upper end of the bucket that holds the sample at `share` (0…1) of all, in milliseconds;
  // 0 without samples.
  double AtMs(double share) const;

 private:
  static constexpr int kLinearBits = 11;  // values below 2^11 µs have a bucket each
  static constexpr int kMaxBits = 32;     // 2^32 µs: above an hour
  static constexpr std::size_t kHalf = std::size_t{1} << (kLinearBits - 1);
  static constexpr std::size_t kBuckets = kHalf * (kMaxBits - kLinearBits + 2);

  static std::size_t BucketOf(std::uint64_t us);
  static std::uint64_t UpperEnd(std::size_t bucket);

  std::array<std::uint32_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
};

}  // namespace minichat::loadtest
