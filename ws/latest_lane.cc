#include "ws/latest_lane.h"

#include <algorithm>
#include <utility>

namespace minichat::ws {

bool LatestLane::Put(std::string_view key, Frame frame) {
  const auto same = std::find_if(entries_.begin(), entries_.end(),
                                 [key](const Entry& entry) { return entry.key == key; });
  if (same != entries_.end()) {
    same->frame = std::move(frame);
    return false;
  }
  const bool full = entries_.size() >= kMaxFrames;
  if (full) entries_.erase(entries_.begin());
  entries_.push_back({std::string(key), std::move(frame)});
  return full;
}

void LatestLane::Pop(std::size_t count) {
  if (count == entries_.size()) return Clear();
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace minichat::ws
