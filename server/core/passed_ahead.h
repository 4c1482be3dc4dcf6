#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

#include "server/core/message.h"

namespace minichat::core {

// What a session got before an event that precedes it, where events go out as they come
// (NodeOptions::repair is off); else empty.
//
// Threading: confined to the core scheduler's thread.
// Limits:    kMost events. Above, the oldest hole counts as lost: what fills it later is dropped.
class PassedAhead {
 public:
  static constexpr std::size_t kMost = 4096;

  // False: the session had it.
  bool Add(const Place& place) { return prev_of_.emplace(place.seq, place.prev).second; }
  // True: the session had it.
  bool Remove(Seq seq) { return !prev_of_.empty() && prev_of_.erase(seq) != 0; }
  // The cursor of a session that has all up to `cursor`, and what is in here.
  Seq Absorb(Seq cursor) {
    for (auto it = prev_of_.begin(); it != prev_of_.end(); it = prev_of_.erase(it)) {
      if (it->second > cursor && prev_of_.size() <= kMost) break;
      cursor = std::max(cursor, it->first);
    }
    return cursor;
  }
  // As if nothing of it lacked a predecessor.
  Seq AbsorbAll(Seq cursor) {
    if (!prev_of_.empty()) cursor = std::max(cursor, prev_of_.rbegin()->first);
    prev_of_.clear();
    return cursor;
  }

 private:
  std::map<Seq, Seq> prev_of_;
};

}  // namespace minichat::core
