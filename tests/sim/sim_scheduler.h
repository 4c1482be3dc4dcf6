#pragma once

#include <cstdint>
#include <deque>
#include <unordered_set>
#include <vector>

#include "tests/sim/timeline.h"

namespace minichat::sim {

// One node's thread. Its death drops all that it had to do; while it hangs, time goes on and its
// work, timers and packets are held.
//
// Lifetime: lives to the end of the simulation, so that late events find it (and find it dead).
class SimScheduler final : public Scheduler {
 public:
  explicit SimScheduler(Timeline& timeline) : timeline_(timeline) {}

  TimePoint Now() const override { return timeline_.Now(); }
  TimePoint BootNow() const override { return timeline_.Now(); }
  std::int64_t WallMillis() const override { return timeline_.WallMillis(); }
  void Post(Work work) override;
  TimerId RunAfter(Duration delay, Work work) override;
  void Cancel(TimerId id) override { timers_.erase(id); }
  std::uint64_t Random() override { return timeline_.random().Next(); }

  // Something arrives from outside: a reply, a packet, a frame. Arrivals of one `stream` keep their
  // order, whatever happens; 0: none to keep.
  void Arrive(Work work, std::uint64_t stream = 0);

  void Kill();
  void Hang() { hung_ = true; }
  // Runs what was held: half of the times not in the order in which it came.
  void Wake();
  bool dead() const { return dead_; }
  bool hung() const { return hung_; }

 private:
  struct Held {
    Work work;
    std::uint64_t stream;
    double place;
  };
  static constexpr std::uint64_t kPosted = ~0ull;  // the stream of Post()ed work

  void AskForTurn();
  void TakeTurn();
  void Shuffle(std::vector<Held>& held);

  Timeline& timeline_;
  std::deque<Work> posted_;
  bool turn_asked_ = false;
  std::unordered_set<TimerId> timers_;  // those that are still to fire
  TimerId last_timer_ = 0;
  std::vector<Held> held_;
  bool hung_ = false;
  bool dead_ = false;
};

}  // namespace minichat::sim
