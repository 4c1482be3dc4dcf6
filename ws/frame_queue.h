#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "ws/frame.h"

namespace minichat::ws {

// Frames with the time since which they wait, oldest first. An empty one that was never long owns
// at most kKept entries of memory: most sessions are idle, most of the time.
//
// Threading: thread-compatible.
class FrameQueue {
 public:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Frame frame;
    Clock::time_point since;
  };

  void Push(Frame frame, Clock::time_point now) { entries_.push_back({std::move(frame), now}); }
  bool empty() const { return first_ == entries_.size(); }
  std::size_t size() const { return entries_.size() - first_; }
  Entry& front() { return entries_[first_]; }
  const Entry& front() const { return entries_[first_]; }
  const Entry& operator[](std::size_t i) const { return entries_[first_ + i]; }
  // Drops the `count` oldest.
  void Pop(std::size_t count);
  void Clear() { Pop(size()); }

 private:
  static constexpr std::size_t kKept = 64;

  std::vector<Entry> entries_;
  std::size_t first_ = 0;  // those before it are spent
};

}  // namespace minichat::ws
