#pragma once

#include <condition_variable>
#include <cstddef>

#include "server/base/mutex.h"

namespace minichat::transports {

// How many of those who work on other threads are still at it.
//
// Lifetime:  may end when WaitForAll() has returned.
// Threading: thread-safe.
class OpenCount {
 public:
  explicit OpenCount(std::size_t open) : open_(open) {}

  void OneEnded() {
    const MutexLock lock(mutex_);  // notified inside: the waiter may end this object
    if (--open_ == 0) none_.notify_all();
  }
  void WaitForAll() {
    MutexLock lock(mutex_);
    while (open_ > 0) none_.wait(lock);
  }

 private:
  Mutex mutex_;
  std::condition_variable_any none_;
  std::size_t open_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace minichat::transports
