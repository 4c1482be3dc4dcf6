#include "ws/frame_queue.h"

#include <algorithm>
#include <utility>

namespace minichat::ws {

void FrameQueue::Pop(std::size_t count) {
  const std::size_t end = first_ + count;
  if (end == entries_.size()) {
    first_ = 0;
    if (entries_.capacity() > kKept) {
      std::vector<Entry>().swap(entries_);
    } else {
      entries_.clear();
    }
    return;
  }
  for (; first_ < end; ++first_) entries_[first_].frame.reset();
  // Moved to the front once half is spent: each entry moves a constant number of times.
  if (first_ * 2 < entries_.size()) return;
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

}  // namespace minichat::ws
