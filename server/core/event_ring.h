#pragma once

#include <map>

#include "server/core/message.h"

namespace minichat::core {

// A room's last events, by seq.
//
// Threading: confined to the core scheduler's thread.
// Limits:    `max_events` and `max_bytes`; the lowest go first.
class EventRing {
 public:
  EventRing(std::size_t max_events, std::size_t max_bytes)
      : max_events_(max_events), max_bytes_(max_bytes) {}

  // False: it was there already.
  bool Add(const EventPtr& event) {
    if (!events_.try_emplace(event->place.seq, event).second) return false;
    bytes_ += event->encoded->size();
    while (events_.size() > max_events_ || (bytes_ > max_bytes_ && events_.size() > 1)) {
      bytes_ -= events_.begin()->second->encoded->size();
      dropped_ = events_.begin()->second;
      events_.erase(events_.begin());
    }
    return true;
  }

  // The first event above `seq`; null: none.
  EventPtr Above(Seq seq) const {
    const auto it = events_.upper_bound(seq);
    return it == events_.end() ? nullptr : it->second;
  }

  void Clear() {
    events_.clear();
    bytes_ = 0;
  }

  Seq highest() const { return events_.empty() ? 0 : events_.rbegin()->first; }
  // What the last Add() pushed out; tests of the simulation look at it.
  EventPtr TakeDropped() { return std::exchange(dropped_, nullptr); }

 private:
  const std::size_t max_events_;
  const std::size_t max_bytes_;
  std::map<Seq, EventPtr> events_;
  std::size_t bytes_ = 0;
  EventPtr dropped_;
};

}  // namespace minichat::core
