#pragma once

#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "ws/token_bucket.h"

namespace minichat::ws {

struct KeyLimit {
  std::size_t held = 0;   // at once; 0: any number
  std::size_t per_s = 0;  // acts a second, and twice as many at once; 0: any number
};

// How many of something each key holds and how often it acts: an address its connections, a user
// its sessions.
//
// Threading: thread-compatible.
// Limits:    remembers the keys that hold something, which the caller bounds, and kMaxIdle others
//            that acted lately; when there are more, it forgets these.
template <class Key>
class KeyLimits {
 public:
  using Clock = TokenBucket::Clock;
  static constexpr std::size_t kMaxIdle = 16'384;

  explicit KeyLimits(KeyLimit limit) : limit_(limit) {}

  // True: the key holds one more, until Release().
  bool TryHold(const Key& key, Clock::time_point now) {
    Entry& entry = EntryOf(key, now);
    if (limit_.held > 0 && entry.held >= limit_.held) return false;
    if (entry.held++ == 0) --idle_;
    return true;
  }
  void Release(const Key& key, Clock::time_point now) {
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.held == 0 || --found->second.held > 0) return;
    ++idle_;
    if (limit_.per_s == 0 || found->second.bucket.IsFull(now)) Erase(found);
  }
  // None: it may act now. Else how long until then.
  std::optional<std::chrono::milliseconds> TryAct(const Key& key, Clock::time_point now) {
    if (limit_.per_s == 0) return std::nullopt;
    TokenBucket& bucket = EntryOf(key, now).bucket;
    if (bucket.TryTake(now)) return std::nullopt;
    return bucket.Wait();
  }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    TokenBucket bucket;
    std::size_t held = 0;
  };
  using Entries = std::unordered_map<Key, Entry>;

  Entry& EntryOf(const Key& key, Clock::time_point now) {
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
    if (idle_ >= kMaxIdle) ForgetIdle(now);
    ++idle_;
    return entries_.emplace(key, Entry{TokenBucket(limit_.per_s, now)}).first->second;
  }
  // First those that it makes no difference for. Half is kept at most, so that this is rare.
  void ForgetIdle(Clock::time_point now) {
    EraseIdle([now](const Entry& entry) { return entry.bucket.IsFull(now); });
    if (idle_ > kMaxIdle / 2) EraseIdle([](const Entry&) { return true; });
  }
  template <class Which>
  void EraseIdle(Which which) {
    for (auto it = entries_.begin(); it != entries_.end();) {
      const bool erase = it->second.held == 0 && which(it->second);
      it = erase ? Erase(it) : std::next(it);
    }
  }
  typename Entries::iterator Erase(typename Entries::iterator it) {
    --idle_;
    return entries_.erase(it);
  }

  const KeyLimit limit_;
  Entries entries_;
  std::size_t idle_ = 0;  // of the entries: those that hold nothing
};

}  // namespace minichat::ws
