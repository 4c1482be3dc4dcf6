#pragma once

#include "server/base/scheduler.h"

namespace minichat::core {

// Gives each local recipient of a message a task of its own, for comparisons in the lab. Without
// it, as in production, all of a room's sessions get an event in one go.
//
// Lifetime:  outlives the ChatNode.
// Threading: called on the core scheduler's thread; `work` runs there later, never inside the call.
// Ordering:  none.
// Errors:    what there is no place for is dropped and counted; the head sweep finds it.
class RecipientTasks {
 public:
  virtual ~RecipientTasks() = default;

  virtual void Run(Scheduler::Work work) = 0;
};

}  // namespace minichat::core
