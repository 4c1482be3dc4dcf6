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

  // Core's side, before it adds catch-up frames: is less than half in use? A no asks for a notice.
  bool TakePage();
  // Queue's side, after frames have left: is a notice due? Says yes once per no.
  bool TakeNotice();
  bool Overflows() const { return bytes_ > limits_.bytes || frames_ > limits_.frames; }
  // A catch-up has been let in and the queue has not been empty since.
  bool catching_up() const { return catching_up_; }

 private:
  bool IsBelow(std::size_t divisor) const {
    return bytes_ < limits_.bytes / divisor && frames_ < limits_.frames / divisor;
  }

  const OutboundLimits& limits_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> frames_{0};
  std::atomic<bool> catching_up_{false};
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
  // the last frame that left: who reads much over a slow line is no slow reader.
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
