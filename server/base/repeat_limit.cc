#include "server/base/repeat_limit.h"

#include <utility>

namespace minichat {

std::optional<std::uint64_t> RepeatLimit::Admit(const std::string& key, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() >= kMaxKeys) entries_.clear();
    entries_.emplace(key, Entry{now});
    return 0;
  }
  Entry& entry = found->second;
  if (now - entry.last < period_) {
    ++entry.held_back;
    return std::nullopt;
  }
  entry.last = now;
  return std::exchange(entry.held_back, 0);
}

}  // namespace minichat
