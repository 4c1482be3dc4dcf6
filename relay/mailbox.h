#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "server/base/mutex.h"
#include "server/base/scheduler.h"

namespace minichat::relay {

// Brings items from gRPC's threads to the core thread: what comes in while a turn is already
// posted rides along with it, so a burst costs one hop, not one per item.
//
// Lifetime:  shared with its posted turns. After Close() the scheduler is not touched any more.
// Threading: Push() from any thread; the rest confined to the scheduler's thread.
// Ordering:  items are handled in the order they were pushed.
// Limits:    none of its own: each item is a call, and calls are bounded where they start.
template <class T>
class Mailbox : public std::enable_shared_from_this<Mailbox<T>> {
 public:
  using Handler = std::function<void(std::vector<T>)>;

  Mailbox(Scheduler& scheduler, Handler handler)
      : scheduler_(scheduler), handler_(std::move(handler)) {}

  // False, and the item dropped, after Close().
  bool Push(T item) {
    const MutexLock lock(mutex_);
    if (closed_) return false;
    items_.push_back(std::move(item));
    // Posted with the lock held, so that Close() can promise that nothing is posted after it.
    if (items_.size() == 1) {
      scheduler_.Post([self = this->shared_from_this()] { self->HandlePending(); });
    }
    return true;
  }

  // The same for several: all or none.
  bool PushAll(const std::vector<T>& items) {
    const MutexLock lock(mutex_);
    if (closed_) return false;
    const bool post = items_.empty() && !items.empty();
    items_.insert(items_.end(), items.begin(), items.end());
    if (post) scheduler_.Post([self = this->shared_from_this()] { self->HandlePending(); });
    return true;
  }

  // Handles what is there, now rather than in the posted turn.
  void HandlePending() {
    std::vector<T> items = Take();
    if (!items.empty()) handler_(std::move(items));
  }

  // Takes no more, and forgets its handler. Gives back what was not handled.
  std::vector<T> Close() {
    std::vector<T> rest = Take(true);
    handler_ = nullptr;
    return rest;
  }

 private:
  std::vector<T> Take(bool close = false) {
    const MutexLock lock(mutex_);
    closed_ = closed_ || close;
    return std::exchange(items_, {});
  }

  Scheduler& scheduler_;
  Handler handler_;  // of the scheduler's thread
  Mutex mutex_;
  std::vector<T> items_ MINICHAT_GUARDED_BY(mutex_);
  bool closed_ MINICHAT_GUARDED_BY(mutex_) = false;
};

}  // namespace minichat::relay
