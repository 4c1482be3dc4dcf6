#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "server/base/metrics.h"
#include "ws/options.h"

namespace minichat::ws {

// An encoded frame; the same one lies in the queues of all sessions that get it.
using Frame = std::shared_ptr<const std::string>;

// How full a session's way out is: its queue, and what is on its way there from the core's thread.
//
// Threading: thread-safe.
class OutboundLevel {
 public:
  explicit OutboundLevel(const OutboundLimits& limits) : limits_(limits) {}

  void Add(std::size_t bytes);
  void Remove(std::size_t bytes, std::size_t frames = 1);
  std::size_t bytes() const { return bytes_.load(); }
  std::size_t frames() const { return frames_.load(); }

  // Core's side: is less than half in use? Saying yes lets one page exceed the limits; saying no
  // asks for a notice.
  bool TakePage();
  // Queue's side, after frames have left: is a notice due? Says yes once per no.
  bool TakeNotice();
  // Above the limits, with what a page may add if one was let in?
  bool Overflows() const;
  // A page was let in that has not drained yet.
  bool catching_up() const { return page_.load(); }

 private:
  bool IsBelow(std::size_t divisor) const {
    return bytes_ < limits_.bytes / divisor && frames_ < limits_.frames / divisor;
  }

  const OutboundLimits& limits_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> frames_{0};
  std::atomic<bool> page_{false};
  std::atomic<bool> page_seen_{false};  // the level has been above a half since the yes
  std::atomic<bool> notice_{false};
};

// The frames that a session has still to write, oldest first.
//
// Threading: confined to the session's I/O thread.
// Limits:    OutboundLimits; Push() does not enforce them, Exceeds() tells.
class OutboundQueue {
 public:
  using Clock = std::chrono::steady_clock;

  OutboundQueue(const OutboundLimits& limits, OutboundLevel& level, Gauge& total_bytes)
      : limits_(limits), level_(level), total_bytes_(total_bytes) {}
  ~OutboundQueue() { Clear(0); }
  OutboundQueue(const OutboundQueue&) = delete;
  OutboundQueue& operator=(const OutboundQueue&) = delete;

  // The level already counts the frame.
  void Push(Frame frame, Clock::time_point now);
  const Frame& front() const { return entries_.front().frame; }
  void Pop(Clock::time_point now);
  // Drops all but the first `keep` (one that is being written must stay).
  void Clear(std::size_t keep);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  // Too many, too much, or the oldest waits for too long. During a catch-up the time counts from
  // the last frame that left: a long page over a slow line is no slow reader.
  bool Exceeds(Clock::time_point now) const;

 private:
  struct Entry {
    Frame frame;
    Clock::time_point queued_at;
  };

  const OutboundLimits& limits_;
  OutboundLevel& level_;
  Gauge& total_bytes_;
  std::deque<Entry> entries_;
  Clock::time_point last_pop_{};
};

}  // namespace minichat::ws
