#include "ws/outbound_queue.h"

#include <algorithm>
#include <utility>

namespace minichat::ws {

void OutboundLevel::Add(std::size_t bytes) {
  bytes_ += bytes;
  ++frames_;
}

void OutboundLevel::Remove(std::size_t bytes, std::size_t frames) {
  bytes_ -= bytes;
  if ((frames_ -= frames) == 0) catching_up_ = false;
}

bool OutboundLevel::TakePage() {
  bool room = IsBelow(2);
  if (!room) {
    notice_ = true;
    // It may have drained between the look and the note; then nobody would come back for the note.
    room = IsBelow(4) && notice_.exchange(false);
  }
  if (room) catching_up_ = true;
  return room;
}

bool OutboundLevel::TakeNotice() {
  return notice_ && IsBelow(4) && notice_.exchange(false);
}

void OutboundQueue::Push(Frame frame, Clock::time_point now) {
  total_bytes_.Increment(static_cast<double>(frame->size()));
  entries_.push_back({std::move(frame), now});
}

void OutboundQueue::Pop(Clock::time_point now) {
  const std::size_t bytes = entries_.front().frame->size();
  entries_.pop_front();
  level_.Remove(bytes);
  total_bytes_.Decrement(static_cast<double>(bytes));
  last_pop_ = now;
}

void OutboundQueue::Clear(std::size_t keep) {
  std::size_t bytes = 0;
  const std::size_t before = entries_.size();
  while (entries_.size() > keep) {
    bytes += entries_.back().frame->size();
    entries_.pop_back();
  }
  if (before == entries_.size()) return;
  level_.Remove(bytes, before - entries_.size());
  total_bytes_.Decrement(static_cast<double>(bytes));
}

bool OutboundQueue::Exceeds(Clock::time_point now) const {
  if (level_.Overflows()) return true;
  if (entries_.empty()) return false;
  const Clock::time_point queued = entries_.front().queued_at;
  const Clock::time_point since = level_.catching_up() ? std::max(queued, last_pop_) : queued;
  return now - since > limits_.age;
}

}  // namespace minichat::ws
