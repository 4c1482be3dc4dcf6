#include "loadtest/experiments/overload/breaker_report.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "loadtest/report/plain_text.h"
#include "server/base/json_writer.h"

namespace minichat::lab {
namespace {

using report::Cell;
using report::Check;
using report::JsonNumber;
using report::Millis;
using report::Percentile;
using report::Text;
using State = Breaker::State;

constexpr int kOk = 0;
constexpr double kRefusalMs = 1;
// After the service is free: the longest time that it stays open, the probes, one burst.
constexpr double kRecoveryMs = 1'500;

const char* NameOf(State state) {
  switch (state) {
    case State::kClosed:
      return "closed";
    case State::kHalfOpen:
      return "half-open";
    case State::kOpen:
      return "open";
  }
  return "";
}

struct Figures {
  std::vector<double> refusals_ms;       // what the breaker took to refuse
  std::vector<std::size_t> probes;       // of each half-open stretch
  std::size_t failures_before_open = 0;  // answers that were failures, when it first opened
  std::size_t open_stretches = 0;
  std::size_t calls = 0;
  std::size_t admitted = 0;
  std::size_t ok_after = 0;  // calls after it closed for good
  std::size_t all_after = 0;
  double recovery_ms = std::numeric_limits<double>::quiet_NaN();
};

Figures FiguresOf(const BreakerResult& result) {
  Figures f;
  f.calls = result.calls.size();
  for (const BreakerChange& change : result.changes) {
    if (change.state == State::kHalfOpen) f.probes.push_back(change.admitted);
    if (change.state == State::kOpen) ++f.open_stretches;
  }
  for (const BreakerCall& call : result.calls) {
    if (!call.admitted) f.refusals_ms.push_back(call.decision_us / 1e3);
    if (call.admitted) ++f.admitted;
    const bool after = result.closed_at_ms && call.at_ms > *result.closed_at_ms;
    if (after) ++f.all_after;
    if (after && call.code == kOk) ++f.ok_after;
  }
  if (result.closed_at_ms && result.free_at_ms) {
    f.recovery_ms = std::max(0.0, *result.closed_at_ms - *result.free_at_ms);
  }
  return f;
}

std::string ProbesText(const std::vector<std::size_t>& probes) {
  std::string text;
  for (const std::size_t count : probes) text += (text.empty() ? "" : ", ") + std::to_string(count);
  return text.empty() ? "never half-open" : text;
}

std::vector<Check> ChecksOf(const BreakerPlan& plan, const Figures& f) {
  const std::size_t probes = plan.breaker.probes;
  const bool fixed = !f.probes.empty() && std::all_of(f.probes.begin(), f.probes.end(),
                                                      [&](std::size_t n) { return n == probes; });
  const double p99 = Percentile(f.refusals_ms, 0.99);
  const double max = report::Largest(f.refusals_ms);
  return {
      {"breaker: opens", "at least once", Text("%zu times", f.open_stretches),
       f.open_stretches > 0},
      {"breaker: refusals' p99", "under 1 ms", Millis(p99), p99 < kRefusalMs},
      {"breaker: slowest refusal", "under 1 ms", Millis(max), max < kRefusalMs, true},
      {"breaker: probes of each half-open stretch", Text("always %zu", probes),
       ProbesText(f.probes), fixed},
      {"breaker: closed after the service is free", "within " + Millis(kRecoveryMs),
       Millis(f.recovery_ms), f.recovery_ms <= kRecoveryMs},
      {"breaker: calls that are answered after it closed", "all",
       Text("%zu of %zu", f.ok_after, f.all_after), f.all_after > 0 && f.ok_after == f.all_after}};
}

report::Table StatesTable(const BreakerResult& result) {
  report::Table table{"States of the breaker", {{"from", "ms"}, {"state"}, {"calls let through"}}};
  for (const BreakerChange& change : result.changes) {
    table.rows.push_back(
        {change.at_ms, NameOf(change.state), static_cast<std::int64_t>(change.admitted)});
  }
  return table;
}

report::Plot StatesPlot(const BreakerResult& result) {
  report::Plot plot{"State over time (0 closed, 1 half-open, 2 open), and calls let through",
                    report::PlotKind::kLine,
                    {"time", "ms"},
                    {"state; calls of a burst"}};
  if (result.free_at_ms) plot.marks.push_back({0, *result.free_at_ms, "service is full"});
  report::Series states{"state"};
  double last = 0;
  for (const BreakerChange& change : result.changes) {
    if (!states.points.empty()) states.points.emplace_back(change.at_ms, last);
    last = static_cast<double>(change.state);
    states.points.emplace_back(change.at_ms, last);
  }
  if (!result.calls.empty()) states.points.emplace_back(result.calls.back().at_ms, last);
  report::Series admitted{"let through"};
  for (const BreakerCall& call : result.calls) {
    const bool same_burst =
        !admitted.points.empty() && call.at_ms - admitted.points.back().first < 10;
    if (!same_burst) admitted.points.emplace_back(call.at_ms, 0);
    if (call.admitted) admitted.points.back().second += 1;
  }
  plot.series = {std::move(states), std::move(admitted)};
  return plot;
}

}  // namespace

void AddBreaker(const BreakerPlan& plan, const BreakerResult& result,
                report::ReportDocument* document) {
  const Figures f = FiguresOf(result);
  report::Section section;
  section.title = "A breaker before a full service";
  section.text = Text(
      "Orders fill a service of two workers and ten places, which then refuses what comes. A "
      "caller "
      "sends %zu calls at once every %lld ms through a breaker with the relay's settings: it opens "
      "after %zu failures in a row and lets %zu probes through when it tries again.",
      plan.burst, static_cast<long long>(plan.burst_every.count()), plan.breaker.failures_to_open,
      plan.breaker.probes);
  section.tables.push_back(StatesTable(result));
  section.plots.push_back(StatesPlot(result));
  document->sections.push_back(std::move(section));
  const std::vector<Check> checks = ChecksOf(plan, f);
  document->checks.insert(document->checks.end(), checks.begin(), checks.end());
  document->findings.push_back(Text("The breaker let %zu of %zu calls through to the full service",
                                    f.admitted - f.all_after, f.calls - f.all_after) +
                               Text(" and refused the others itself, half of them within %s. ",
                                    Millis(Percentile(f.refusals_ms, 0.5)).c_str()) +
                               Text("It tried again %zu times, with ", f.probes.size()) +
                               ProbesText(f.probes) + " probes, and was closed " +
                               Millis(f.recovery_ms) + " after the service had room again.");
}

std::string RawDataOf(const BreakerResult& result) {
  std::vector<std::string> calls;
  for (const BreakerCall& call : result.calls) {
    calls.push_back(JsonObject()
                        .AddRaw("at_ms", JsonNumber(call.at_ms))
                        .Add("state", NameOf(call.state))
                        .Add("admitted", call.admitted)
                        .AddRaw("decision_us", JsonNumber(call.decision_us))
                        .Add("code", std::int64_t{call.code})
                        .Take());
  }
  return JsonArray(calls);
}

}  // namespace minichat::lab
