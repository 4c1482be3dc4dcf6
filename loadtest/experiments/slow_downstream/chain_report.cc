#include "loadtest/experiments/slow_downstream/chain_report.h"

#include <algorithm>

#include "loadtest/experiments/slow_downstream/chain_checks.h"
#include "loadtest/report/plain_text.h"
#include "server/base/json_writer.h"

namespace minichat::lab {
namespace {

using report::Cell;
using report::JsonNumber;
using report::Largest;
using report::Millis;
using report::MillisRange;
using report::Smallest;
using report::Text;

using Row = std::vector<Cell>;

std::string OrdersText(const ChainFigures& f, std::size_t ended, const char* how) {
  return Text("%zu of %zu %s: ", ended, f.orders, how) + MillisRange(f.first_orders) + " and " +
         MillisRange(f.last_orders);
}

std::string BudgetText(const std::vector<double>& budgets, std::size_t unlimited) {
  if (budgets.empty()) return unlimited > 0 ? "infinite" : "none arrived";
  const std::string known = MillisRange(budgets);
  return unlimited == 0 ? known : known + Text(", %zu infinite", unlimited);
}

std::string BudgetsText(const ChainFigures& f) {
  return BudgetText(f.a_budgets, f.a_unlimited) + " | " + BudgetText(f.b_budgets, f.b_unlimited) +
         " | " + BudgetText(f.c_budgets, f.c_unlimited);
}

// A quick run does less, so the original's times stand beside none of its own.
std::string Original(const ChainPlan& plan, const char* text) {
  return plan.rounds > 1 ? text : std::string(text) + " (longer work)";
}

std::vector<Row> RowsOf(const ChainPlan& plan, Condition condition, const ChainFigures& f) {
  const auto original = [&](const char* text) { return Cell(Original(plan, text)); };
  const std::string title = TitleOf(condition);
  switch (condition) {
    case Condition::kNoDeadline:
      return {{title, "orders", original("4 at 5.1 s, 4 at 10.2 s"),
               OrdersText(f, f.orders_ok, "end OK")},
              {title, "Ping to B", original("7.9 s to 10.1 s"), MillisRange(f.pings)},
              {title, "budget at A | B | C", "-", BudgetsText(f)}};
    case Condition::kPropagated:
      return {
          {title, "orders", original("all within 1 s, DEADLINE_EXCEEDED"),
           OrdersText(f, f.orders_deadline, "DEADLINE_EXCEEDED")},
          {title, "Ping to B that waits", original("at most 0.72 s to 0.77 s"),
           MillisRange(f.waiting_pings)},
          {title, "later Ping to B", original("at most 23 ms"), MillisRange(f.later_pings)},
          {title, "work at C", original("cancelled"),
           Text("%zu of %zu cancelled after ", f.c_cancelled, f.c_orders) + MillisRange(f.c_work)},
          {title, "budget at A | B | C", original("50 ms less at each"), BudgetsText(f)}};
    case Condition::kNotPropagated:
      return {{title, "orders", original("the caller gives up at 1.005 s"),
               OrdersText(f, f.orders_deadline, "DEADLINE_EXCEEDED")},
              {title, "Ping to B", "-", MillisRange(f.pings)},
              {title, "work at C", original("5 s, ends OK"), MillisRange(f.c_work)},
              {title, "work at A that nobody waits for", original("5 s, ends OK"),
               Text("%zu of %zu end OK, ", f.a_ok_unheard, f.orders) + MillisRange(f.a_work)},
              {title, "budget at A | B | C", "-", BudgetsText(f)}};
    case Condition::kAsync:
      return {{title, "orders", "-", OrdersText(f, f.orders_ok, "end OK")},
              {title, "Ping to B", "-", MillisRange(f.pings)}};
  }
  return {};
}

report::Table TableOf(const ChainPlan& plan, const std::vector<ChainResult>& results) {
  report::Table table{"Each condition beside the original",
                      {{"condition"}, {"what"}, {"original"}, {"here"}}};
  table.rows.push_back({"idle", "Ping to B", "1 ms to 16 ms", MillisRange(IdlePingsOf(results))});
  for (const Condition condition : kConditions) {
    for (Row& row : RowsOf(plan, condition, FiguresOf(plan, condition, results))) {
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

report::Plot PingPlot(const std::vector<ChainResult>& results) {
  report::Plot plot{"How long a Ping to B takes, by when it was sent",
                    report::PlotKind::kLine,
                    {"sent after the orders", "ms"},
                    {"Ping", "ms", true}};
  for (const Condition condition : kConditions) {
    report::Series series{TitleOf(condition)};
    for (const ChainResult& result : results) {
      if (result.condition != condition) continue;
      for (const CallResult& ping : result.pings) {
        series.points.emplace_back(ping.at_ms, ping.took_ms);
      }
    }
    std::sort(series.points.begin(), series.points.end());
    plot.series.push_back(std::move(series));
  }
  return plot;
}

report::Plot OrderPlot(const std::vector<ChainResult>& results) {
  report::Plot plot{"When the caller of each order had its answer (first round)",
                    report::PlotKind::kBar,
                    {"order"},
                    {"after", "ms"}};
  for (const ChainResult& result : results) {
    if (result.round != 1) continue;
    report::Series series{TitleOf(result.condition)};
    for (const CallResult& order : result.orders) {
      series.points.emplace_back(static_cast<double>(series.points.size() + 1), order.took_ms);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::vector<std::string> FindingsOf(const ChainPlan& plan,
                                    const std::vector<ChainResult>& results) {
  const ChainFigures none = FiguresOf(plan, Condition::kNoDeadline, results);
  const ChainFigures passed = FiguresOf(plan, Condition::kPropagated, results);
  const ChainFigures dropped = FiguresOf(plan, Condition::kNotPropagated, results);
  const ChainFigures async = FiguresOf(plan, Condition::kAsync, results);
  const std::vector<double> idle = IdlePingsOf(results);
  const double blocked = Largest(none.pings) / report::Percentile(idle, 0.5);
  std::vector<std::string> findings;
  findings.push_back(
      "A Ping that B alone could answer took " + MillisRange(idle) + " when B was idle, and " +
      MillisRange(none.pings) +
      Text(" while %zu orders without a deadline waited for C: ", plan.orders) +
      Text("up to %.0f times as long, though C has nothing to do with it.", blocked));
  findings.push_back("With a deadline that each service passes on, the slow service costs B " +
                     Millis(Largest(passed.waiting_pings)) + " at most; a Ping sent later took " +
                     MillisRange(passed.later_pings) + ". " +
                     Text("C saw %zu of %zu orders and stopped work on %zu of them; ",
                          passed.c_orders, passed.orders, passed.c_cancelled) +
                     Text("%zu never left B, as nothing was left of their budget.",
                          passed.b_orders - std::min(passed.b_orders, passed.c_orders)));
  findings.push_back(
      "With a deadline that is not passed on, the caller gave up after " +
      MillisRange(dropped.last_orders) +
      Text(", but C still did %zu orders of ", dropped.c_orders) + MillisRange(dropped.c_work) +
      " each, and Pings waited " + MillisRange(dropped.pings) + ": B is " +
      (Largest(dropped.pings) > 0.8 * Largest(none.pings) ? "as blocked as" : "less blocked than") +
      " without any deadline.");
  findings.push_back("With handlers on B that hold no thread, its Pings took " +
                     MillisRange(async.pings) + " while the same orders waited, and all " +
                     Text("%zu orders ended after ", async.orders) +
                     MillisRange(async.last_orders) +
                     Text(" instead of queueing for %zu workers.", plan.b_workers));
  if (plan.rounds > 1) {
    findings.push_back(
        "The times are set by C's work and by the deadlines, not by the machine, so they lie close "
        "to the original's: orders " +
        MillisRange(none.first_orders) + " and " + MillisRange(none.last_orders) +
        " here, 5.1 s and 10.2 s there. What differs is what the way itself costs: loopback and a "
        "native server answer an idle Ping in " +
        Millis(report::Percentile(idle, 0.5)) + " (median); the original took 1 ms to 16 ms.");
  }
  return findings;
}

std::string CallsToJson(const std::vector<CallResult>& calls) {
  std::vector<std::string> values;
  values.reserve(calls.size());
  for (const CallResult& call : calls) {
    values.push_back(JsonObject()
                         .AddRaw("at_ms", JsonNumber(call.at_ms))
                         .AddRaw("took_ms", JsonNumber(call.took_ms))
                         .Add("code", std::int64_t{call.code})
                         .Take());
  }
  return JsonArray(values);
}

std::string RecordsToJson(const std::vector<HopRecord>& records) {
  std::vector<std::string> values;
  values.reserve(records.size());
  for (const HopRecord& record : records) {
    values.push_back(
        JsonObject()
            .Add("order", std::int64_t{record.number})
            .AddRaw("budget_ms", record.budget_ms ? JsonNumber(*record.budget_ms) : "\"infinite\"")
            .AddRaw("arrived_ms", JsonNumber(record.arrived_ms))
            .AddRaw("waited_ms", JsonNumber(record.waited_ms))
            .AddRaw("took_ms", JsonNumber(record.took_ms))
            .Add("code", std::int64_t{record.code})
            .Add("caller_gone", record.caller_gone)
            .Add("slices", std::int64_t{record.slices})
            .Take());
  }
  return JsonArray(values);
}

}  // namespace

report::ReportDocument ReportOf(const ChainPlan& plan, const std::vector<ChainResult>& results) {
  report::ReportDocument document;
  document.experiment = "slow-downstream";
  document.title = "A slow service, and those before it";
  document.summary = Text(
      "A passes orders on to B and B to C, over gRPC, each a process of its own; C takes %s for an "
      "order. B has %zu workers. %zu orders come at once, and beside them a Ping to B every %s: "
      "something that B could answer alone. ",
      Millis(InMillis(plan.work)).c_str(), plan.b_workers, plan.orders,
      Millis(InMillis(plan.ping_every)).c_str());
  document.summary +=
      "What a slow service does to those before it depends on whether waiting holds a worker, and "
      "on whether the caller's deadline travels with the order.";
  document.manifest = {{"work_ms", InMillis(plan.work)},
                       {"budget_ms", InMillis(plan.budget)},
                       {"rounds", static_cast<std::int64_t>(plan.rounds)},
                       {"b_workers", static_cast<std::int64_t>(plan.b_workers)},
                       {"other_workers", static_cast<std::int64_t>(plan.other_workers)}};
  report::Section section;
  section.title = "Orders and Pings";
  section.text = Text(
      "Smallest and largest of %zu round(s), the conditions taken in turns, each with fresh "
      "processes. Times of orders: the faster half and the slower half. A budget is what is "
      "left when the order arrives; \"infinite\": it has no deadline.",
      plan.rounds);
  section.tables.push_back(TableOf(plan, results));
  section.plots = {PingPlot(results), OrderPlot(results)};
  document.sections.push_back(std::move(section));
  document.checks = ChecksOf(plan, results);
  document.findings = FindingsOf(plan, results);
  return document;
}

std::string RawDataOf(const std::vector<ChainResult>& results) {
  std::vector<std::string> runs;
  runs.reserve(results.size());
  for (const ChainResult& result : results) {
    runs.push_back(JsonObject()
                       .Add("condition", NameOf(result.condition))
                       .Add("round", std::uint64_t{result.round})
                       .AddRaw("idle_pings", CallsToJson(result.idle_pings))
                       .AddRaw("orders", CallsToJson(result.orders))
                       .AddRaw("pings", CallsToJson(result.pings))
                       .AddRaw("a", RecordsToJson(result.a))
                       .AddRaw("b", RecordsToJson(result.b))
                       .AddRaw("c", RecordsToJson(result.c))
                       .Take());
  }
  return JsonArray(runs);
}

}  // namespace minichat::lab
