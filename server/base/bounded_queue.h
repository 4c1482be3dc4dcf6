#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <utility>

#include "server/base/mutex.h"

namespace minichat {

// A queue between threads that is bounded in items and in bytes. What happens to an item that does
// not fit is the caller's choice; here it is counted.
//
// Lifetime:  must outlive its waiters: request their stop and join them first.
// Threading: thread-safe.
// Limits:    `max_items` items and `max_bytes` bytes, as told by who pushes.
template <class T>
class BoundedQueue {
 public:
  BoundedQueue(std::size_t max_items, std::size_t max_bytes)
      : max_items_(max_items), max_bytes_(max_bytes) {}
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  // False: it does not fit, `item` is unchanged.
  bool TryPush(T&& item, std::size_t bytes = 0) {
    {
      const MutexLock lock(mutex_);
      if (items_.size() >= max_items_ || bytes > max_bytes_ - bytes_) {
        ++overflows_;
        return false;
      }
      items_.push_back({std::move(item), bytes});
      bytes_ += bytes;
    }
    filled_.notify_one();
    return true;
  }

  // Waits for an item. None: stop was requested and the queue is empty.
  std::optional<T> Pop(std::stop_token stop) {
    MutexLock lock(mutex_);
    filled_.wait(lock, stop, [this]() MINICHAT_REQUIRES(mutex_) { return !items_.empty(); });
    return TakeLocked();
  }

  // As Pop(), and none after `timeout`.
  std::optional<T> PopFor(std::chrono::nanoseconds timeout, std::stop_token stop) {
    MutexLock lock(mutex_);
    filled_.wait_for(lock, stop, timeout,
                     [this]() MINICHAT_REQUIRES(mutex_) { return !items_.empty(); });
    return TakeLocked();
  }

  std::size_t size() const {
    const MutexLock lock(mutex_);
    return items_.size();
  }
  std::size_t bytes() const {
    const MutexLock lock(mutex_);
    return bytes_;
  }
  // How many items were refused so far.
  std::uint64_t overflows() const {
    const MutexLock lock(mutex_);
    return overflows_;
  }

 private:
  struct Entry {
    T item;
    std::size_t bytes;
  };

  std::optional<T> TakeLocked() MINICHAT_REQUIRES(mutex_) {
    if (items_.empty()) return std::nullopt;
    Entry first = std::move(items_.front());
    items_.pop_front();
    bytes_ -= first.bytes;
    return std::move(first.item);
  }

  const std::size_t max_items_;
  const std::size_t max_bytes_;

  mutable Mutex mutex_;
  std::condition_variable_any filled_;
  std::deque<Entry> items_ MINICHAT_GUARDED_BY(mutex_);
  std::size_t bytes_ MINICHAT_GUARDED_BY(mutex_) = 0;
  std::uint64_t overflows_ MINICHAT_GUARDED_BY(mutex_) = 0;
};

}  // namespace minichat
