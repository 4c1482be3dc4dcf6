#include "server/app/step_sequence.h"

#include <utility>

#include "server/base/log.h"

namespace minichat::app {
namespace {

// Kept alive by the callbacks that it waits for.
class Sequence : public std::enable_shared_from_this<Sequence> {
 public:
  Sequence(Scheduler& scheduler, std::vector<StopStep> steps, std::function<void()> finished)
      : scheduler_(scheduler), steps_(std::move(steps)), finished_(std::move(finished)) {}

  void RunNext() {
    if (next_ == steps_.size()) return finished_();
    const std::size_t index = next_++;
    const StopStep& step = steps_[index];
    begin_ = scheduler_.Now();
    timer_ = scheduler_.RunAfter(step.limit, [self = shared_from_this(), index] {
      log::Warn("stop_step_cut", {{"step", self->steps_[index].name}});
      self->OnDone(index);
    });
    step.run(Deadline::After(scheduler_, step.limit),
             [self = shared_from_this(), index] { self->OnDone(index); });
  }

 private:
  // The second call for a step, by whichever of the two comes later, changes nothing.
  void OnDone(std::size_t index) {
    if (index + 1 != next_ || ended_ == next_) return;
    ended_ = next_;
    scheduler_.Cancel(timer_);
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(scheduler_.Now() - begin_);
    log::Info("stop_step", {{"step", steps_[index].name}, {"ms", took.count()}});
    RunNext();
  }

  Scheduler& scheduler_;
  const std::vector<StopStep> steps_;
  const std::function<void()> finished_;
  std::size_t next_ = 0;
  std::size_t ended_ = 0;
  TimePoint begin_;
  Scheduler::TimerId timer_ = 0;
};

}  // namespace

void RunSteps(Scheduler& scheduler, std::vector<StopStep> steps, std::function<void()> finished) {
  std::make_shared<Sequence>(scheduler, std::move(steps), std::move(finished))->RunNext();
}

}  // namespace minichat::app
