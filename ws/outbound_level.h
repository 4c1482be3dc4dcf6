#pragma once

#include <atomic>
#include <cstddef>

#include "ws/options.h"

namespace minichat::ws {

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
  bool IsBelowHalf() const { return IsBelow(2); }
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

}  // namespace minichat::ws
