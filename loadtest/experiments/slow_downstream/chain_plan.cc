#include "loadtest/experiments/slow_downstream/chain_plan.h"

namespace minichat::lab {

const char* NameOf(Condition condition) {
  switch (condition) {
    case Condition::kNoDeadline:
      return "no-deadline";
    case Condition::kPropagated:
      return "propagated";
    case Condition::kNotPropagated:
      return "not-propagated";
    case Condition::kAsync:
      return "async";
  }
  return "";
}

const char* TitleOf(Condition condition) {
  switch (condition) {
    case Condition::kNoDeadline:
      return "no deadline";
    case Condition::kPropagated:
      return "deadline passed on";
    case Condition::kNotPropagated:
      return "deadline not passed on";
    case Condition::kAsync:
      return "no deadline, B asynchronous";
  }
  return "";
}

ChainPlan ChainPlan::Quick() {
  ChainPlan plan;
  plan.work = std::chrono::milliseconds(1'000);
  // Not a fifth: two margins of 50 ms must leave enough to measure.
  plan.budget = std::chrono::milliseconds(400);
  plan.ping_every = std::chrono::milliseconds(50);
  plan.rounds = 1;
  return plan;
}

// The last Ping is sent after pings * ping_every and waits until B's workers have done two orders
// each, which takes twice the work; a tenth of one is left for the way.
double ChainPlan::LeastPingWithoutDeadline() const {
  return 1.9 * InMillis(work) - static_cast<double>(pings) * InMillis(ping_every);
}

// The first Ping comes ping_every after the orders, which are over by the end of the budget.
double ChainPlan::LongestWaitingPing() const {
  return InMillis(budget) - InMillis(ping_every);
}

double ChainPlan::LeastOnwardWork() const {
  return 0.98 * InMillis(work);
}

double ChainPlan::WorkersFreeAt() const {
  return InMillis(budget) - 2 * InMillis(margin);
}

}  // namespace minichat::lab
