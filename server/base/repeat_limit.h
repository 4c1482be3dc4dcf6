#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "server/base/mutex.h"

namespace minichat {

// Lets one of many alike through per period, and counts the others: what fails five times a second
// should not fill the log.
//
// Threading: thread-safe.
// Limits:    remembers kMaxKeys keys; above, it starts anew.
class RepeatLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxKeys = 256;

  explicit RepeatLimit(Clock::duration period) : period_(period) {}

  // How many were held back since the last one let through; none: hold this one back.
  std::optional<std::uint64_t> Admit(const std::string& key, Clock::time_point now);

 private:
  struct Entry {
    Clock::time_point last;
    std::uint64_t held_back = 0;
  };

  const Clock::duration period_;
  Mutex mutex_;
  std::map<std::string, Entry> entries_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace minichat
