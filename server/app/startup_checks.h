#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/app/app_config.h"
#include "server/base/scheduler.h"

namespace minichat::app {

// Looks, on a thread of its own, whether the backends are as `minichat migrate` makes them: the
// topic's partitions and limits, the database's schema. Retries until they are, and says in one
// line each time the reason changes.
//
// Lifetime:  its end waits for the look under way, some seconds at most. The scheduler outlives it.
// Threading: confined to the scheduler's thread.
class StartupChecks {
 public:
  StartupChecks(const AppConfig& config, Scheduler& scheduler);
  ~StartupChecks();

  void Start();
  // "topic", "schema": what is not (yet) known to be right.
  std::vector<std::string> lacking() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace minichat::app
