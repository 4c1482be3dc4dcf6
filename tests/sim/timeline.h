#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "server/base/scheduler.h"

namespace minichat::sim {

inline Duration Seconds(double seconds) {
  return Duration(static_cast<std::int64_t>(seconds * 1e9));
}

// All chance of a run comes from here, so that the seed decides it.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t Next() { return engine_(); }
  double Uniform(double low, double high) { return low + (high - low) * Unit(); }
  bool Chance(double probability) { return Unit() < probability; }
  // Mean `mean`.
  double Exponential(double mean);
  std::size_t Below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }

 private:
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  std::mt19937_64 engine_;
};

// The one virtual clock and everything that is still to happen. Events at the same instant run in
// an order that the seed decides.
//
// Threading: one thread runs a whole simulation.
class Timeline {
 public:
  using Work = std::function<void()>;

  explicit Timeline(std::uint64_t seed) : random_(seed) {}

  TimePoint Now() const { return now_; }
  double seconds() const { return std::chrono::duration<double>(now_.time_since_epoch()).count(); }
  std::int64_t WallMillis() const;

  void At(TimePoint when, Work work);
  void After(Duration delay, Work work) { At(now_ + delay, std::move(work)); }
  void RunUntil(TimePoint end);

  Random& random() { return random_; }
  std::uint64_t steps() const { return steps_; }

 private:
  struct Event {
    TimePoint when;
    std::uint64_t tie;
    Work work;
  };
  static bool IsLater(const Event& a, const Event& b);

  Random random_;
  TimePoint now_{};
  std::vector<Event> heap_;
  std::uint64_t steps_ = 0;
};

}  // namespace minichat::sim
