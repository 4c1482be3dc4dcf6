#include "loadtest/experiments/slow_downstream/chain_checks.h"

#include <string>

#include "loadtest/report/plain_text.h"

namespace minichat::lab {
namespace {

using report::Check;
using report::Largest;
using report::Millis;
using report::MillisRange;
using report::Smallest;
using report::Text;
using Samples = std::vector<double>;

constexpr double kRoundingMs = 20;     // gRPC rounds a timeout up on its way
constexpr double kCallerLateMs = 250;  // of a caller that gives up by itself
constexpr double kLaterPingMs = 150;   // once B's workers are free
constexpr double kOriginalLaterPingMs = 23;
constexpr double kOriginalIdlePingMs = 16;
constexpr double kAsyncPingMs = 20;

// A comparison with a sample that isn't there does not hold.
Check AtMost(const std::string& name, const Samples& samples, double bound) {
  return {name, "at most " + Millis(bound), MillisRange(samples), Largest(samples) <= bound};
}

Check AtLeast(const std::string& name, const Samples& samples, double bound) {
  return {name, "at least " + Millis(bound), MillisRange(samples), Smallest(samples) >= bound};
}

Check All(const std::string& name, std::size_t seen, std::size_t all) {
  return {name, Text("all %zu", all), Text("%zu", seen), all > 0 && seen == all};
}

Check FindingOnly(Check check) {
  check.finding_only = true;
  return check;
}

void Add(std::vector<Check> more, std::vector<Check>* checks) {
  checks->insert(checks->end(), more.begin(), more.end());
}

std::vector<Check> NoDeadline(const ChainPlan& plan, const ChainFigures& f) {
  const double work = InMillis(plan.work);
  return {All("no deadline: orders that end OK", f.orders_ok, f.orders),
          AtMost("no deadline: the first four orders", f.first_orders, 1.5 * work),
          AtLeast("no deadline: the last four orders", f.last_orders, 1.9 * work),
          AtLeast("no deadline: Pings", f.pings, plan.LeastPingWithoutDeadline()),
          All("no deadline: orders whose budget A, B and C each recognise as infinite",
              f.a_unlimited + f.b_unlimited + f.c_unlimited, 3 * f.orders)};
}

std::vector<Check> Propagated(const ChainPlan& plan, const ChainFigures& f) {
  const double budget = InMillis(plan.budget) + kRoundingMs;
  const double margin = InMillis(plan.margin);
  Samples orders = f.first_orders;
  orders.insert(orders.end(), f.last_orders.begin(), f.last_orders.end());
  return {All("passed on: orders that end with DEADLINE_EXCEEDED", f.orders_deadline, f.orders),
          AtMost("passed on: orders", orders, InMillis(plan.budget)),
          AtMost("passed on: Pings that wait behind orders", f.waiting_pings,
                 plan.LongestWaitingPing()),
          AtMost("passed on: later Pings", f.later_pings, kLaterPingMs),
          FindingOnly(AtMost("passed on: later Pings, as the original had them", f.later_pings,
                             kOriginalLaterPingMs)),
          All("passed on: orders whose work at C is cancelled", f.c_cancelled, f.c_orders),
          AtMost("passed on: work at C", f.c_work, InMillis(plan.budget)),
          AtMost("passed on: budget that reaches A", f.a_budgets, budget),
          AtMost("passed on: budget that reaches B", f.b_budgets, budget - margin),
          AtMost("passed on: budget that reaches C", f.c_budgets, budget - 2 * margin),
          {"passed on: orders without a budget anywhere", "0",
           Text("%zu", f.a_unlimited + f.b_unlimited + f.c_unlimited),
           f.a_unlimited + f.b_unlimited + f.c_unlimited == 0}};
}

std::vector<Check> NotPropagated(const ChainPlan& plan, const ChainFigures& f) {
  Samples orders = f.first_orders;
  orders.insert(orders.end(), f.last_orders.begin(), f.last_orders.end());
  return {
      All("not passed on: orders that end with DEADLINE_EXCEEDED", f.orders_deadline, f.orders),
      AtMost("not passed on: the caller gives up", orders, InMillis(plan.budget) + kCallerLateMs),
      All("not passed on: orders that A ends OK though nobody waits", f.a_ok_unheard, f.orders),
      AtLeast("not passed on: onward work at A", f.a_work, plan.LeastOnwardWork()),
      AtLeast("not passed on: onward work at C", f.c_work, plan.LeastOnwardWork()),
      All("not passed on: orders whose budget A knows", f.a_budgets.size(), f.orders),
      All("not passed on: orders whose budget B and C each recognise as infinite",
          f.b_unlimited + f.c_unlimited, 2 * f.orders)};
}

std::vector<Check> Async(const ChainPlan& plan, const ChainFigures& f) {
  const Check all_pings = AtMost("B asynchronous: Pings", f.pings, kAsyncPingMs);
  std::vector<Check> checks{
      All("B asynchronous: orders that end OK", f.orders_ok, f.orders),
      AtMost("B asynchronous: orders", f.last_orders, 1.5 * InMillis(plan.work))};
  if (plan.rounds > 1) {
    checks.push_back(all_pings);
    return checks;
  }
  // Ten Pings on a machine that does other things as well: one may be late by chance, half may not.
  const double median = report::Percentile(f.pings, 0.5);
  checks.push_back({"B asynchronous: the median Ping", "at most " + Millis(kAsyncPingMs),
                    Millis(median), median <= kAsyncPingMs});
  checks.push_back(FindingOnly(all_pings));
  return checks;
}

}  // namespace

std::vector<Check> ChecksOf(const ChainPlan& plan, const std::vector<ChainResult>& results) {
  const auto figures = [&](Condition c) { return FiguresOf(plan, c, results); };
  std::vector<Check> checks;
  Add(NoDeadline(plan, figures(Condition::kNoDeadline)), &checks);
  Add(Propagated(plan, figures(Condition::kPropagated)), &checks);
  Add(NotPropagated(plan, figures(Condition::kNotPropagated)), &checks);
  Add(Async(plan, figures(Condition::kAsync)), &checks);
  std::size_t failed = 0;
  for (const Condition c : kConditions) failed += figures(c).pings_failed;
  checks.push_back({"Pings without an answer", "0", Text("%zu", failed), failed == 0});
  checks.push_back(FindingOnly(
      AtMost("idle Pings, as the original had them", IdlePingsOf(results), kOriginalIdlePingMs)));
  return checks;
}

}  // namespace minichat::lab
