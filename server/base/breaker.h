#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "server/base/scheduler.h"

namespace minichat {

struct BreakerOptions {
  std::size_t failures_to_open = 5;  // in a row
  std::size_t probes = 3;            // admitted while half-open; all must succeed to close
  // How long it stays open: doubles with each failed round of probes, up to the longest; each
  // time a random part of the upper half, so that nodes don't probe in step.
  Duration first_wait = std::chrono::milliseconds(200);
  Duration longest_wait = std::chrono::seconds(1);
};

// Stops calls to something that fails, and finds out with a few of them when it works again.
//
// Lifetime:  every ticket that Admit() gives is ended by exactly one Record().
// Threading: confined to its scheduler's thread.
// Limits:    while half-open at most `probes` calls are under way.
class Breaker {
 public:
  enum class State { kClosed = 0, kHalfOpen = 1, kOpen = 2 };
  enum class Outcome {
    kSuccess,
    kFailure,
    kAbandoned,  // says nothing of the other side: a probe's place becomes free again
  };

  // An admission. Tickets of an earlier state count no more: what was started before the breaker
  // opened says nothing about the time after.
  class Ticket {
   public:
    bool admitted() const { return round_ != 0; }

   private:
    friend class Breaker;
    std::uint64_t round_ = 0;
  };

  Breaker(BreakerOptions options, Scheduler& scheduler);

  Ticket Admit();
  void Record(Ticket ticket, Outcome outcome);
  State state() const { return state_; }

 private:
  void Enter(State state);
  void Open();
  void RecordProbe(Outcome outcome);

  const BreakerOptions options_;
  Scheduler& scheduler_;
  State state_ = State::kClosed;
  std::uint64_t round_ = 1;  // changes with each change of state
  std::size_t failures_in_a_row_ = 0;
  std::size_t probes_admitted_ = 0;
  std::size_t probes_succeeded_ = 0;
  Duration wait_;
  TimePoint open_until_{};
};

}  // namespace minichat
