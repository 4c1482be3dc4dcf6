#include "tests/sim/sim_scheduler.h"

#include <algorithm>
#include <map>
#include <utility>

namespace minichat::sim {

void SimScheduler::Post(Work work) {
  if (dead_) return;
  if (hung_) {
    held_.push_back({std::move(work), kPosted, 0});
    return;
  }
  posted_.push_back(std::move(work));
  AskForTurn();
}

void SimScheduler::AskForTurn() {
  if (turn_asked_) return;
  turn_asked_ = true;
  timeline_.At(timeline_.Now(), [this] { TakeTurn(); });
}

// One piece of work, so that other nodes' events of the same instant come in between.
void SimScheduler::TakeTurn() {
  turn_asked_ = false;
  if (dead_ || hung_ || posted_.empty()) return;
  const Work work = std::move(posted_.front());
  posted_.pop_front();
  if (!posted_.empty()) AskForTurn();
  work();
}

Scheduler::TimerId SimScheduler::RunAfter(Duration delay, Work work) {
  const TimerId id = ++last_timer_;
  if (dead_) return id;
  timers_.insert(id);
  timeline_.After(std::max(delay, Duration::zero()), [this, id, work = std::move(work)] {
    if (!timers_.contains(id)) return;
    Arrive([this, id, work] {
      if (timers_.erase(id) > 0) work();
    });
  });
  return id;
}

void SimScheduler::Arrive(Work work, std::uint64_t stream) {
  if (dead_) return;
  if (hung_) {
    held_.push_back({std::move(work), stream, 0});
  } else {
    work();
  }
}

void SimScheduler::Kill() {
  dead_ = true;
  hung_ = false;
  posted_.clear();
  held_.clear();
  timers_.clear();
}

void SimScheduler::Wake() {
  if (dead_ || !hung_) return;
  hung_ = false;
  std::vector<Held> held;
  for (Work& work : posted_) held.push_back({std::move(work), kPosted, 0});
  posted_.clear();
  std::move(held_.begin(), held_.end(), std::back_inserter(held));
  held_.clear();
  if (timeline_.random().Chance(.5)) Shuffle(held);
  for (Held& item : held) {
    if (dead_) return;
    if (hung_) {
      held_.push_back(std::move(item));
    } else {
      item.work();
    }
  }
}

// Gives each item a random place, and the items of a stream their places in their order.
void SimScheduler::Shuffle(std::vector<Held>& held) {
  std::map<std::uint64_t, std::vector<double>> places;
  for (Held& item : held) {
    item.place = timeline_.random().Uniform(0, 1);
    if (item.stream != 0) places[item.stream].push_back(item.place);
  }
  for (auto& [stream, of_stream] : places) {
    std::sort(of_stream.begin(), of_stream.end(), std::greater<>());
  }
  for (Held& item : held) {
    if (item.stream == 0) continue;
    item.place = places[item.stream].back();
    places[item.stream].pop_back();
  }
  std::stable_sort(held.begin(), held.end(),
                   [](const Held& a, const Held& b) { return a.place < b.place; });
}

}  // namespace minichat::sim
