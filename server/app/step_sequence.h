#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/base/deadline.h"
#include "server/base/scheduler.h"

namespace minichat::app {

// One step of an orderly stop. `run` calls `done` once, at any time, also inside the call.
struct StopStep {
  std::string name;
  Duration limit;
  std::function<void(Deadline deadline, std::function<void()> done)> run;
};

// Runs steps one after the other and logs each. A step that is not done at its limit is left
// behind, so that the whole takes no longer than the sum of the limits (a step that blocks the
// thread must keep its limit itself).
//
// Threading: confined to the scheduler's thread, `done` of a step too.
void RunSteps(Scheduler& scheduler, std::vector<StopStep> steps, std::function<void()> finished);

}  // namespace minichat::app
