#include "server/base/asio_scheduler.h"

#include <ctime>
#include <map>
#include <random>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace minichat {
namespace {

TimePoint Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return TimePoint(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace

// All timers share one Asio timer that is set for the earliest: setting and cancelling most of
// them then costs a map operation and no system call.
struct AsioScheduler::Timers {
  explicit Timers(boost::asio::io_context& io) : timer(io) {}

  void Arm() {
    if (by_time.empty()) return;
    const TimePoint first = by_time.begin()->first.first;
    if (armed && armed_for <= first) return;
    armed = true;
    armed_for = first;
    timer.expires_at(std::chrono::steady_clock::time_point(first.time_since_epoch()));
    timer.async_wait([this](const boost::system::error_code& ec) {
      if (!ec) OnFired();
    });
  }

  void OnFired() {
    armed = false;
    const TimePoint now = Read(CLOCK_MONOTONIC);
    while (!by_time.empty() && by_time.begin()->first.first <= now) {
      auto node = by_time.extract(by_time.begin());
      due.erase(node.key().second);
      node.mapped()();
    }
    Arm();
  }

  boost::asio::steady_timer timer;
  std::map<std::pair<TimePoint, TimerId>, Work> by_time;
  std::map<TimerId, TimePoint> due;
  TimerId last = 0;
  bool armed = false;
  TimePoint armed_for{};
  std::mt19937_64 random{(std::uint64_t{std::random_device()()} << 32) | std::random_device()()};
};

AsioScheduler::AsioScheduler(boost::asio::io_context& io)
    : io_(io), timers_(std::make_unique<Timers>(io)) {}

AsioScheduler::~AsioScheduler() = default;

TimePoint AsioScheduler::Now() const {
  return Read(CLOCK_MONOTONIC);
}

TimePoint AsioScheduler::BootNow() const {
  return Read(CLOCK_BOOTTIME);
}

std::int64_t AsioScheduler::WallMillis() const {
  return Read(CLOCK_REALTIME).time_since_epoch() / std::chrono::milliseconds(1);
}

void AsioScheduler::Post(Work work) {
  boost::asio::post(io_, std::move(work));
}

Scheduler::TimerId AsioScheduler::RunAfter(Duration delay, Work work) {
  const TimerId id = ++timers_->last;
  const TimePoint when = Now() + delay;
  timers_->by_time.emplace(std::make_pair(when, id), std::move(work));
  timers_->due.emplace(id, when);
  timers_->Arm();
  return id;
}

void AsioScheduler::Cancel(TimerId id) {
  const auto it = timers_->due.find(id);
  if (it == timers_->due.end()) return;
  timers_->by_time.erase({it->second, id});
  timers_->due.erase(it);
}

std::uint64_t AsioScheduler::Random() {
  return timers_->random();
}

}  // namespace minichat
