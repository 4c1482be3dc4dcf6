#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ws/frame.h"

namespace minichat::ws {

// Frames of which only the newest of each key counts (who is typing, who is online). A newer one
// takes the place of the older; above the bound the oldest goes.
//
// Threading: thread-compatible.
// Limits:    kMaxFrames.
class LatestLane {
 public:
  static constexpr std::size_t kMaxFrames = 128;

  // True: another key's frame was dropped for it.
  bool Put(std::string_view key, Frame frame);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Frame& operator[](std::size_t i) const { return entries_[i].frame; }
  // Drops the `count` oldest.
  void Pop(std::size_t count);
  // Gives the memory back as well.
  void Clear() { std::vector<Entry>().swap(entries_); }

 private:
  struct Entry {
    std::string key;
    Frame frame;
  };

  std::vector<Entry> entries_;
};

}  // namespace minichat::ws
