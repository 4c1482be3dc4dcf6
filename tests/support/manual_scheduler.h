#pragma once

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "server/base/scheduler.h"

namespace minichat::testing_support {

// A Scheduler whose time moves when the test says so: posted work and timers run in order of time,
// then of insertion.
//
// Threading: one thread.
class ManualScheduler final : public Scheduler {
 public:
  TimePoint Now() const override { return now_; }
  TimePoint BootNow() const override { return now_ + asleep_; }
  std::int64_t WallMillis() const override {
    return kEpochMs +
           std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch()).count();
  }
  void Post(Work work) override { RunAfter(Duration::zero(), std::move(work)); }
  TimerId RunAfter(Duration delay, Work work) override {
    const Key key{now_ + delay, ++last_};
    work_.emplace(key, std::move(work));
    due_.emplace(last_, key);
    return last_;
  }
  void Cancel(TimerId id) override {
    const auto it = due_.find(id);
    if (it == due_.end()) return;
    work_.erase(it->second);
    due_.erase(it);
  }
  std::uint64_t Random() override {
    return random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  }

  // Runs all that is due within `span`, in order.
  void Advance(Duration span) {
    const TimePoint end = now_ + span;
    while (!work_.empty() && work_.begin()->first.first <= end) {
      auto next = work_.extract(work_.begin());
      due_.erase(next.key().second);
      now_ = std::max(now_, next.key().first);
      next.mapped()();
    }
    now_ = end;
  }
  // The boot clock went on and nothing ran, as in a stopped process.
  void Hang(Duration span) { asleep_ += span; }

 private:
  static constexpr std::int64_t kEpochMs = 1'790'000'000'000;
  using Key = std::pair<TimePoint, TimerId>;

  TimePoint now_{};
  Duration asleep_{};
  std::map<Key, Work> work_;
  std::map<TimerId, Key> due_;
  TimerId last_ = 0;
  std::uint64_t random_ = 1;
};

}  // namespace minichat::testing_support
