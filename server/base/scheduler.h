#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace minichat {

using Duration = std::chrono::nanoseconds;

// A point on a scheduler's own steady clock. Only differences mean anything.
struct SchedulerClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SchedulerClock, duration>;
  static constexpr bool is_steady = true;
};
using TimePoint = SchedulerClock::time_point;

// Time, timers, and "run this later on that thread". In production an io_context with one thread
// (AsioScheduler); in the simulation one virtual clock for all nodes.
//
// Lifetime:  outlives everything that was given to it; what is still queued at its end is dropped.
// Threading: Post() and the clocks from any thread; RunAfter() and Cancel() only from the
//            scheduler's own thread. Work never runs inside the call that hands it over.
// Ordering:  Post()ed work runs in the order it was posted (per posting thread).
class Scheduler {
 public:
  using Work = std::function<void()>;
  using TimerId = std::uint64_t;  // 0 is never given out

  virtual ~Scheduler() = default;

  virtual TimePoint Now() const = 0;
  // The boot-time clock, which goes on while the machine sleeps: tells that this process hung.
  virtual TimePoint BootNow() const = 0;
  // Wall clock in milliseconds since 1970. For display and for what other systems compare.
  virtual std::int64_t WallMillis() const = 0;

  virtual void Post(Work work) = 0;
  virtual TimerId RunAfter(Duration delay, Work work) = 0;
  // Unknown or fired ids are ignored. After Cancel() the work does not run.
  virtual void Cancel(TimerId id) = 0;
  // For ids, jitter and tokens between nodes, which must not collide but are no secrets. Seeded by
  // the system in production, by the seed in the simulation.
  virtual std::uint64_t Random() = 0;
};

}  // namespace minichat
