#include "loadtest/experiments/transports/step_report.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "loadtest/experiments/transports/bottleneck.h"
#include "loadtest/experiments/transports/experiment.h"
#include "loadtest/experiments/transports/words.h"

namespace minichat::transports {
namespace {

using report::Cell;
using report::Plot;
using report::PlotKind;
using report::Section;
using report::Table;

using StoreTime = std::chrono::microseconds;

// An asynchronous side over HTTP is one thread; gRPC uses as many as it likes.
std::size_t AsyncThreads(const Step& step) {
  return step.transport == Transport::kGrpc ? 0 : 1;
}

BottleneckInput InputOf(const Step& step, const Samples& samples, double cores) {
  return {.caller_workers = step.caller_workers,
          .stock_workers = step.stock_workers,
          .stock_threads = AsyncThreads(step),
          .caller_threads = AsyncThreads(step),
          .caller_cpu = samples.Median("caller_cpu"),
          .stock_cpu = samples.Median("stock_cpu"),
          .stock_held = samples.Median("stock_held"),
          .machine_busy = samples.Median("machine_busy"),
          .cores = cores};
}

// One row for each step, after its number.
Table StepTable(std::string title, std::vector<report::Column> columns, const Measurements& all,
                StoreTime store_time,
                const std::function<std::vector<Cell>(const Step&, const Samples&)>& cells) {
  Table table{std::move(title), {{"#"}}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  for (const Step& step : AllSteps()) {
    std::vector<Cell> row{static_cast<std::int64_t>(table.rows.size() + 1)};
    for (Cell& cell : cells(step, all.Of(step.name, store_time))) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table RateTable(const Measurements& all, StoreTime store_time) {
  return StepTable("By step",
                   {{"step"},
                    {"takes", "1/s"},
                    {"of the first", "times"},
                    {"p50", "ms"},
                    {"p95", "ms"},
                    {"caller's CPU", "%"},
                    {"stock's CPU", "%"},
                    {"machine busy", "%"}},
                   all, store_time,
                   [&](const Step& step, const Samples& samples) -> std::vector<Cell> {
                     return {step.title,
                             samples.Median("per_second"),
                             TakesRatio(all, step.name, "http_per_call", store_time),
                             samples.Median("p50_ms"),
                             samples.Median("p95_ms"),
                             100 * samples.Median("caller_cpu"),
                             100 * samples.Median("stock_cpu"),
                             100 * samples.Median("machine_busy")};
                   });
}

Table CostTable(const Measurements& all, StoreTime store_time) {
  return StepTable("What a take costs",
                   {{"begun to ended, p50", "ms"},
                    {"caller's CPU", "µs"},
                    {"stock's CPU", "µs"},
                    {"stock's workers held", "%"}},
                   all, store_time,
                   [](const Step& step, const Samples& samples) -> std::vector<Cell> {
                     return {samples.Median("in_hand_p50_ms"), CpuEach(samples, "caller_cpu"),
                             CpuEach(samples, "stock_cpu"),
                             step.stock_workers > 0 ? Cell(100 * samples.Median("stock_held"))
                                                    : Cell("no workers")};
                   });
}

Table BottleneckTable(const Measurements& all, StoreTime store_time) {
  return StepTable("Where the bottleneck sits", {{"here"}, {"the original saw"}}, all, store_time,
                   [&all](const Step& step, const Samples& samples) -> std::vector<Cell> {
                     return {DescribeBottleneck(InputOf(step, samples, all.cores)),
                             step.original.empty() ? "-" : step.original};
                   });
}

report::Series StepSeries(const Measurements& all, StoreTime store_time, std::string title,
                          const std::string& figure, double factor = 1) {
  report::Series series{std::move(title)};
  double number = 0;
  for (const Step& step : AllSteps()) {
    series.points.emplace_back(++number, factor * all.Of(step.name, store_time).Median(figure));
  }
  return series;
}

Plot BarPlot(std::string title, report::Axis y, std::string axes,
             std::vector<report::Series> series) {
  return {.title = std::move(title),
          .kind = PlotKind::kBar,
          .x = {"step, as numbered in the table"},
          .y = std::move(y),
          .axes = std::move(axes),
          .series = std::move(series)};
}

// What a step gained on another one, beside what the original saw.
std::string Gain(const Measurements& all, const std::string& what, const char* step,
                 const char* base, const std::string& original) {
  return what + ": " + Factor(TakesRatio(all, step, base, kNoStore)) +
         " as many takes per second without store time, " +
         Factor(TakesRatio(all, step, base, kSomeStore)) + " with 1 ms (the original: " + original +
         ").";
}

std::string Where(const Measurements& all, const char* step, StoreTime store_time) {
  const Step& known = *FindStep(step);
  return known.title + (store_time > kNoStore ? ", store 1 ms: " : ", no store time: ") +
         DescribeBottleneck(InputOf(known, all.Of(step, store_time), all.cores));
}

std::string CpuOfRewrittenSide(const Measurements& all) {
  const Samples& before = all.Of("grpc_2", kSomeStore);
  const Samples& after = all.Of("grpc_async_caller", kSomeStore);
  return "The caller rewritten, store 1 ms: its CPU went from " +
         Percent(before.Median("caller_cpu")) + " to " + Percent(after.Median("caller_cpu")) +
         " of a core, from " + Rounded(CpuEach(before, "caller_cpu")) + " to " +
         Rounded(CpuEach(after, "caller_cpu")) + " µs for a take (the original: 120 to 20 %).";
}

// With a store that takes time, whether one side alone is worth the work.
std::string OneSideOrBoth(const Measurements& all) {
  const double caller = TakesRatio(all, "grpc_async_caller", "grpc_2", kSomeStore);
  const double stock = TakesRatio(all, "grpc_async_stock", "grpc_2", kSomeStore);
  const double both = TakesRatio(all, "grpc_async", "grpc_2", kSomeStore);
  std::string finding = "Against 2 + 2 workers, store 1 ms: the caller alone asynchronous makes " +
                        Factor(caller) + " the takes, the stock alone " + Factor(stock) +
                        ", both " + Factor(both) + ".";
  if (both > 2 * std::max(caller, stock)) {
    finding += " One side that holds a thread for each call sets the pace of both.";
  }
  return finding;
}

std::string WholeWay(const Measurements& all) {
  const auto p95 = [&all](const char* step) {
    return Rounded(all.Of(step, kSomeStore).Median("p95_ms")) + " ms";
  };
  return "From the first step to both sides asynchronous, store 1 ms: " +
         Factor(TakesRatio(all, "grpc_async", "http_per_call", kSomeStore)) +
         " as many takes per second, p95 from " + p95("http_per_call") + " to " +
         p95("grpc_async") +
         " (the original: 6.4 times, 154 to 20 ms). The callers here have no pause between two "
         "wishes, so that p50 is the number of callers divided by the rate.";
}

std::string AsyncOrGrpc(const Measurements& all) {
  return "Asynchronous HTTP on connections kept alive makes " +
         Factor(TakesRatio(all, "http_async", "grpc_async", kNoStore)) + " (no store time) and " +
         Factor(TakesRatio(all, "http_async", "grpc_async", kSomeStore)) + " (1 ms; " +
         std::to_string(kPoolConnections) + " connections carry at most " +
         std::to_string(kPoolConnections) + " calls at once) the takes of asynchronous gRPC, and " +
         Factor(TakesRatio(all, "http_async", "http_pool", kSomeStore)) +
         " those of the same HTTP with a worker each (1 ms).";
}

}  // namespace

Section StepSection(const Measurements& all, StoreTime store_time) {
  const bool waits = store_time > kNoStore;
  Section section{.title = waits ? "A store that takes 1 ms for each call" : "No store time"};
  section.text =
      waits ? "As above, but the stock waits 1 ms for each call, as for a database one network hop "
              "away. A worker of the stock is held meanwhile; the asynchronous stock is not."
            : "The stock answers from memory: what is measured is the transport, and who waits for "
              "whom.";
  section.tables = {RateTable(all, store_time), CostTable(all, store_time),
                    BottleneckTable(all, store_time)};
  section.plots.push_back(BarPlot("Takes per second", {"takes", "1/s"}, "",
                                  {StepSeries(all, store_time, "takes", "per_second")}));
  section.plots.push_back(BarPlot("CPU of each side", {"CPU", "% of a core"}, "cpu",
                                  {StepSeries(all, store_time, "caller", "caller_cpu", 100),
                                   StepSeries(all, store_time, "stock", "stock_cpu", 100)}));
  section.plots.push_back(BarPlot("From wish to taken", {"time", "ms", true}, "latency",
                                  {StepSeries(all, store_time, "p50", "p50_ms"),
                                   StepSeries(all, store_time, "p95", "p95_ms")}));
  return section;
}

std::vector<std::string> StepFindings(const Measurements& all) {
  return {Gain(all, "Connections kept alive instead of one per call", "http_pool", "http_per_call",
               "no gain"),
          Gain(all, "gRPC instead of HTTP with a connection per call, 1 + 1 workers", "grpc",
               "http_per_call", "2.7 times"),
          Gain(all, "2 + 2 workers instead of 1 + 1", "grpc_2", "grpc", "more"),
          Gain(all, "The caller asynchronous, 2 workers in the stock, instead of 2 + 2 workers",
               "grpc_async_caller", "grpc_2", "1.22 times"),
          CpuOfRewrittenSide(all),
          OneSideOrBoth(all),
          WholeWay(all),
          AsyncOrGrpc(all),
          Gain(all, "One call instead of three, both sides asynchronous", "grpc_async_take",
               "grpc_async", "not tried"),
          Where(all, "http_per_call", kNoStore),
          Where(all, "grpc", kSomeStore),
          Where(all, "grpc_async_caller", kSomeStore),
          Where(all, "grpc_async", kSomeStore)};
}

}  // namespace minichat::transports
