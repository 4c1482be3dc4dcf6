#include "loadtest/experiments/overload/cluster_report.h"

#include <algorithm>

#include "loadtest/experiments/overload/cluster_figures.h"
#include "loadtest/report/plain_text.h"
#include "server/base/json_writer.h"

namespace minichat::lab {
namespace {

using report::Cell;
using report::Check;
using report::JsonNumber;
using report::Millis;
using report::Text;

constexpr double kRefusalMs = 50;
constexpr double kRecoverySeconds = 5;
// Recovered: what is delivered takes no longer than this, or twice what it took before.
constexpr double kGoodP95Ms = 100;
// The nodes' memory may grow by that from the middle third of the overload to the last.
constexpr double kMemoryShare = 0.10;
constexpr double kMemoryMib = 10;

using Count = unsigned long long;

double GoodP95(const ClusterResult& result) {
  return std::max(kGoodP95Ms, 2 * result.Phase("calm").delivery_p95_ms);
}

std::string CodesText(const ClusterPhase& phase) {
  std::string text;
  for (const auto& [code, count] : phase.errors) {
    text += (text.empty() ? "" : ", ") + Text("%llu %s", static_cast<Count>(count), code.c_str());
  }
  return text.empty() ? "none" : text;
}

Check Zero(const std::string& name, std::uint64_t seen) {
  return {name, "0", Text("%llu", static_cast<Count>(seen)), seen == 0};
}

std::vector<Check> IdChecks(const std::string& name, const ClusterResult& result) {
  std::uint64_t lost = 0, repeated = 0, misordered = 0, unanswered = 0;
  for (const ClusterPhase& phase : result.phases) {
    lost += phase.lost;
    repeated += phase.repeated;
    misordered += phase.misordered;
    unanswered += phase.unanswered;
  }
  return {Zero(name + ": acked ids that Postgres lacks", result.acked_not_stored),
          Zero(name + ": acked ids that the log lacks", result.acked_not_logged),
          Zero(name + ": stored ids that were not acked", result.stored_not_acked),
          {name + ": acked ids", "some", Text("%zu", result.acked_ids), result.acked_ids > 0},
          Zero(name + ": deliveries lost", lost),
          Zero(name + ": deliveries repeated", repeated),
          Zero(name + ": deliveries out of order", misordered),
          Zero(name + ": sends without an answer", unanswered),
          Zero(name + ": connections that were closed", result.closed_connections)};
}

std::vector<Check> RefusalChecks(const std::string& name, const ClusterResult& result,
                                 Times times) {
  const ClusterPhase& overload = result.Phase("overload");
  const std::uint64_t unclear = UnclearErrors(overload);
  Check p99{name + ": refusals' p99 at twice the capacity", "under 50 ms",
            Millis(overload.refusal_p99_ms), overload.refusal_p99_ms < kRefusalMs};
  std::vector<Check> checks{
      {name + ": refused at twice the capacity", "some", CodesText(overload),
       Refused(overload) > 0},
      {name + ": answers at twice the capacity that are neither ack nor a clear refusal",
       "0 (clear: overloaded, rate_limited)", Text("%llu", static_cast<Count>(unclear)),
       unclear == 0}};
  p99.finding_only = times != Times::kMustHold;
  if (times == Times::kQuick) {
    checks.push_back({name + ": half of the refusals", "under 50 ms",
                      Millis(overload.refusal_p50_ms), overload.refusal_p50_ms < kRefusalMs});
  }
  checks.push_back(p99);
  return checks;
}

std::vector<Check> StateChecks(const std::string& name, const ClusterResult& result, Times times) {
  const MemoryGrowth memory = MemoryOf(result);
  const double bound = memory.middle_mib * (1 + kMemoryShare) + kMemoryMib;
  const double recovery = RecoverySeconds(result, GoodP95(result));
  return {
      {name + ": memory in the last third of the overload",
       Text("at most %.0f MiB (the middle third and 10 %% more)", bound),
       Text("%.0f MiB", memory.last_mib), memory.last_mib <= bound},
      {name + ": recovered after the load falls",
       Text("within %.0f s: two seconds with at most 1 %% refused, p95 below ", kRecoverySeconds) +
           Millis(GoodP95(result)),
       recovery >= 0 ? Text("%.1f s", recovery) : "not at all", recovery <= kRecoverySeconds,
       times == Times::kForShow}};
}

std::vector<Cell> RowOf(const ClusterPhase& phase) {
  const double time = phase.to_s - phase.from_s;
  const auto refused = static_cast<double>(Refused(phase));
  return {phase.name,
          phase.rate,
          static_cast<double>(phase.sent) / time,
          static_cast<double>(phase.acked) / time,
          refused / time,
          CodesText(phase),
          phase.ack_p50_ms,
          phase.ack_p99_ms,
          phase.delivery_p95_ms,
          refused > 0 ? Cell(phase.refusal_p50_ms) : Cell("-"),
          refused > 0 ? Cell(phase.refusal_p99_ms) : Cell("-"),
          refused > 0 ? Cell(phase.refusal_max_ms) : Cell("-"),
          phase.drained_s - phase.to_s};
}

report::Table PhasesTable(const ClusterResult& result) {
  report::Table table{"Phases",
                      {{"phase"},
                       {"wanted", "1/s"},
                       {"sent", "1/s"},
                       {"acked", "1/s"},
                       {"refused", "1/s"},
                       {"refusals by code"},
                       {"ack p50", "ms"},
                       {"ack p99", "ms"},
                       {"delivery p95", "ms"},
                       {"refusal p50", "ms"},
                       {"refusal p99", "ms"},
                       {"refusal max", "ms"},
                       {"all delivered after", "s"}}};
  for (const ClusterPhase& phase : result.phases) table.rows.push_back(RowOf(phase));
  return table;
}

report::Table IdsTable(const ClusterResult& result) {
  const auto row = [](const char* what, std::size_t count) {
    return std::vector<Cell>{what, static_cast<std::int64_t>(count)};
  };
  return {
      "Ids, from all phases and the search for the capacity",
      {{"what"}, {"messages"}},
      {row("acked", result.acked_ids), row("in Postgres", result.stored_ids),
       row("in the log", result.logged_ids), row("acked, not in Postgres", result.acked_not_stored),
       row("acked, not in the log", result.acked_not_logged),
       row("in Postgres, not acked", result.stored_not_acked)}};
}

template <class Value>
report::Series SeriesOf(const std::string& name, const ClusterResult& result, Value value) {
  report::Series series{name};
  for (const ClusterSecond& second : result.seconds) {
    series.points.emplace_back(second.at_s, value(second));
  }
  return series;
}

std::vector<report::Plot> PlotsOf(const ClusterResult& result) {
  using S = const ClusterSecond&;
  const ClusterPhase& overload = result.Phase("overload");
  const std::vector<report::Mark> marks{{overload.from_s, overload.to_s, "twice the capacity"}};
  const report::Axis time{"time", "s"};
  return {{"What was sent, acked and refused",
           report::PlotKind::kLine,
           time,
           {"messages", "1/s"},
           "",
           marks,
           {SeriesOf("sent", result, [](S s) { return static_cast<double>(s.sent); }),
            SeriesOf("acked", result, [](S s) { return static_cast<double>(s.acked); }),
            SeriesOf("refused", result, [](S s) { return static_cast<double>(s.refused); })}},
          {"Memory of the three nodes together",
           report::PlotKind::kLine,
           time,
           {"resident", "MiB"},
           "",
           marks,
           {SeriesOf("nodes", result, [](S s) { return s.memory_mib; })}},
          {"How long deliveries took (p95 of each second)",
           report::PlotKind::kLine,
           time,
           {"p95", "ms", true},
           "",
           marks,
           {SeriesOf("p95", result, [](S s) { return s.p95_ms; })}},
          {"CPU",
           report::PlotKind::kLine,
           time,
           {"cores"},
           "",
           marks,
           {SeriesOf("three nodes", result, [](S s) { return s.nodes_cpu; }),
            SeriesOf("generator", result, [](S s) { return s.generator_cpu; })}}};
}

void AddFindings(const std::string& name, const ClusterPlan& plan, const ClusterResult& result,
                 std::vector<std::string>* findings) {
  const ClusterPhase& overload = result.Phase("overload");
  const double time = overload.to_s - overload.from_s;
  const double goodput = static_cast<double>(overload.acked) / time;
  findings->push_back(
      name +
      Text(": three nodes that let %zu sends wait each ack %.0f messages a second at most (%zu "
           "rooms "
           "of %zu members, services and generator on the same machine). ",
           plan.waiting_sends, result.capacity, plan.rooms, plan.members) +
      Text("At %.1f times that they acked %.0f a second, %.0f %% of it, and refused ",
           overload.rate / result.capacity, goodput, 100 * goodput / result.capacity) +
      CodesText(overload) + ", half within " + Millis(overload.refusal_p50_ms) +
      " and 99 % within " + Millis(overload.refusal_p99_ms) + ".");
  const MemoryGrowth memory = MemoryOf(result);
  findings->push_back(
      name +
      Text(
          ": the nodes together held at most %.0f MiB in the middle third of the overload and %.0f "
          "MiB in the last: ",
          memory.middle_mib, memory.last_mib) +
      (memory.last_mib <= memory.middle_mib * (1 + kMemoryShare) + kMemoryMib
           ? "what waits is bounded, so it does not grow."
           : "it grows."));
  const double recovery = RecoverySeconds(result, GoodP95(result));
  findings->push_back(
      name +
      Text(": %zu messages were acked in all; Postgres lacks %zu of them and the log %zu. ",
           result.acked_ids, result.acked_not_stored, result.acked_not_logged) +
      (recovery >= 0 ? Text("After the load fell it took %.1f s until at most 1 %% was refused and "
                            "deliveries were as quick as before.",
                            recovery)
                     : std::string("After the load fell the cluster did not get back to what it "
                                   "was.")));
}

}  // namespace

void AddCluster(const std::string& name, const ClusterPlan& plan, const ClusterResult& result,
                Times times, report::ReportDocument* document) {
  report::Section section;
  section.title = Text("A %s at %.0f times its capacity", name.c_str(), plan.factor);
  section.text = Text(
      "Three nodes on Redis, Kafka and Postgres of their own. Each lets %zu sends wait for the log "
      "and the directory (limits.waiting_sends); what comes on top is refused. First their "
      "capacity "
      "is looked for: %zu messages at a time were acked at %.0f a second, and when %.0f times as "
      "many were sent, %.0f a second were acked; the capacity is the larger of the two. Then an "
      "open model, which sends at fixed times whether or not answers come: half of the capacity, "
      "%.0f times the capacity, half again.",
      plan.waiting_sends, plan.in_flight, result.acked_closed, plan.factor, result.acked_open,
      plan.factor);
  section.tables = {PhasesTable(result), IdsTable(result)};
  section.plots = PlotsOf(result);
  document->sections.push_back(std::move(section));
  for (const std::vector<Check>& checks :
       {IdChecks(name, result), RefusalChecks(name, result, times),
        StateChecks(name, result, times)}) {
    document->checks.insert(document->checks.end(), checks.begin(), checks.end());
  }
  AddFindings(name, plan, result, &document->findings);
}

std::string RawDataOf(const ClusterResult& result) {
  std::vector<std::string> seconds;
  for (const ClusterSecond& s : result.seconds) {
    seconds.push_back(JsonObject()
                          .AddRaw("at_s", JsonNumber(s.at_s))
                          .Add("sent", s.sent)
                          .Add("acked", s.acked)
                          .Add("refused", s.refused)
                          .AddRaw("p95_ms", JsonNumber(s.p95_ms))
                          .AddRaw("memory_mib", JsonNumber(s.memory_mib))
                          .AddRaw("nodes_cpu", JsonNumber(s.nodes_cpu))
                          .AddRaw("generator_cpu", JsonNumber(s.generator_cpu))
                          .Take());
  }
  std::vector<std::string> phases;
  for (const ClusterPhase& phase : result.phases) {
    JsonObject errors;
    for (const auto& [code, count] : phase.errors) errors.Add(code, count);
    phases.push_back(JsonObject()
                         .Add("name", phase.name)
                         .AddRaw("rate", JsonNumber(phase.rate))
                         .AddRaw("from_s", JsonNumber(phase.from_s))
                         .AddRaw("to_s", JsonNumber(phase.to_s))
                         .AddRaw("drained_s", JsonNumber(phase.drained_s))
                         .Add("sent", phase.sent)
                         .Add("acked", phase.acked)
                         .AddRaw("errors", errors.Take())
                         .Add("unanswered", phase.unanswered)
                         .Add("lost", phase.lost)
                         .Add("late_sends", phase.late_sends)
                         .Take());
  }
  return JsonObject()
      .AddRaw("capacity", JsonNumber(result.capacity))
      .AddRaw("phases", JsonArray(phases))
      .AddRaw("seconds", JsonArray(seconds))
      .Take();
}

}  // namespace minichat::lab
