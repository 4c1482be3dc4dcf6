#include "tests/sim/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minichat::sim {
namespace {

constexpr std::int64_t kWallStartMs = 1'790'000'000'000;

}  // namespace

double Random::Exponential(double mean) {
  return -mean * std::log(1 - Unit());
}

std::int64_t Timeline::WallMillis() const {
  return kWallStartMs +
         std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch()).count();
}

bool Timeline::IsLater(const Event& a, const Event& b) {
  return a.when != b.when ? a.when > b.when : a.tie > b.tie;
}

void Timeline::At(TimePoint when, Work work) {
  heap_.push_back({std::max(when, now_), random_.Next(), std::move(work)});
  std::push_heap(heap_.begin(), heap_.end(), IsLater);
}

void Timeline::RunUntil(TimePoint end) {
  while (!heap_.empty() && heap_.front().when <= end) {
    std::pop_heap(heap_.begin(), heap_.end(), IsLater);
    const Event event = std::move(heap_.back());
    heap_.pop_back();
    now_ = event.when;
    ++steps_;
    event.work();
  }
  now_ = end;
}

}  // namespace minichat::sim
