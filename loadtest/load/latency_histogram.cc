#include "loadtest/load/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace minichat::loadtest {

void LatencyHistogram::Add(std::chrono::nanoseconds latency) {
  constexpr std::int64_t kMaxUs = (std::int64_t{1} << kMaxBits) - 1;
  const std::int64_t us = std::clamp<std::int64_t>(latency.count() / 1000, 0, kMaxUs);
  ++buckets_[BucketOf(static_cast<std::uint64_t>(us))];
  ++count_;
}

void LatencyHistogram::Add(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
}

// Below 2^kLinearBits the value itself; above, each power of two has kHalf buckets: its leading
// kLinearBits bits, of which the first is always set.
std::size_t LatencyHistogram::BucketOf(std::uint64_t us) {
  const int bits = std::bit_width(us);
  if (bits <= kLinearBits) return us;
  const int shift = bits - kLinearBits;
  return kHalf * static_cast<std::size_t>(shift) + static_cast<std::size_t>(us >> shift);
}

std::uint64_t LatencyHistogram::UpperEnd(std::size_t bucket) {
  if (bucket < 2 * kHalf) return bucket;
  const std::size_t shift = bucket / kHalf - 1;
  const std::size_t leading = bucket - kHalf * shift;
  return ((leading + 1) << shift) - 1;
}

double LatencyHistogram::AtMs(double share) const {
  if (count_ == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  for (; bucket < kBuckets; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= std::max<std::uint64_t>(wanted, 1)) break;
  }
  return static_cast<double>(UpperEnd(bucket)) / 1e3;
}

}  // namespace minichat::loadtest
