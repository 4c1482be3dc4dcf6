#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace minichat::ws {

// Lets `rate` things per second pass, and twice as many at once after a pause.
//
// Threading: thread-compatible.
class TokenBucket {
 public:
  using Clock = std::chrono::steady_clock;

  TokenBucket(std::size_t rate, Clock::time_point now)
      : rate_(static_cast<double>(rate)), tokens_(2 * rate_), filled_(now) {}

  bool TryTake(Clock::time_point now) {
    const std::chrono::duration<double> passed = now - filled_;
    tokens_ = std::min(2 * rate_, tokens_ + passed.count() * rate_);
    filled_ = now;
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  // Has it had a pause long enough to be as new?
  bool IsFull(Clock::time_point now) const {
    const std::chrono::duration<double> passed = now - filled_;
    return tokens_ + passed.count() * rate_ >= 2 * rate_;
  }
  // How long until the next one may pass.
  std::chrono::milliseconds Wait() const {
    if (tokens_ >= 1) return std::chrono::milliseconds(0);
    return std::chrono::milliseconds(1 + static_cast<long>(1000 * (1 - tokens_) / rate_));
  }

 private:
  const double rate_;
  double tokens_;
  Clock::time_point filled_;
};

}  // namespace minichat::ws
