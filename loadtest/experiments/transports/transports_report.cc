#include "loadtest/experiments/transports/transports_report.h"

#include <algorithm>
#include <utility>

#include "loadtest/experiments/transports/bottleneck.h"
#include "loadtest/experiments/transports/checks.h"
#include "loadtest/experiments/transports/relay_account.h"
#include "loadtest/experiments/transports/take_run.h"
#include "loadtest/experiments/transports/words.h"
#include "loadtest/report/plain_text.h"
#include "server/base/json_writer.h"

namespace minichat::transports {
namespace {

using report::Cell;
using report::Plot;
using report::PlotKind;
using report::Section;
using report::Table;

using StoreTime = std::chrono::microseconds;

std::int64_t Whole(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

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

double TakesRatio(const Measurements& all, const char* step, const char* base, StoreTime store) {
  return MedianRatio(all.Of(step, store), all.Of(base, store), "per_second");
}

// CPU of one side for each take or message, in microseconds.
double CpuEach(const Samples& samples, const std::string& side) {
  return 1e6 * samples.Median(side) / samples.Median("per_second");
}

Table StepTable(const Measurements& all, StoreTime store_time) {
  Table table{"By step",
              {{"#"},
               {"step"},
               {"takes", "1/s"},
               {"of the first", "times"},
               {"p50", "ms"},
               {"p95", "ms"},
               {"in hand, p50", "ms"},
               {"caller's CPU", "% of a core"},
               {"stock's CPU", "% of a core"},
               {"caller's CPU", "µs a take"},
               {"stock's CPU", "µs a take"},
               {"machine busy", "%"},
               {"where the bottleneck sits"},
               {"the original"}}};
  std::int64_t number = 0;
  for (const Step& step : AllSteps()) {
    const Samples& samples = all.Of(step.name, store_time);
    table.rows.push_back({++number, step.title, samples.Median("per_second"),
                          TakesRatio(all, step.name.c_str(), "http_per_call", store_time),
                          samples.Median("p50_ms"), samples.Median("p95_ms"),
                          samples.Median("in_hand_p50_ms"), 100 * samples.Median("caller_cpu"),
                          100 * samples.Median("stock_cpu"), CpuEach(samples, "caller_cpu"),
                          CpuEach(samples, "stock_cpu"), 100 * samples.Median("machine_busy"),
                          DescribeBottleneck(InputOf(step, samples, all.cores)),
                          step.original.empty() ? "-" : step.original});
  }
  return table;
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

Section StepSection(const Measurements& all, StoreTime store_time) {
  const bool waits = store_time > kNoStore;
  Section section{.title = waits ? "A store that takes 1 ms for each call" : "No store time"};
  section.text =
      waits ? "As above, but the stock waits 1 ms for each call, as for a database one network hop "
              "away. A worker of the stock is held meanwhile; the asynchronous stock is not."
            : "The stock answers from memory: what is measured is the transport, and who waits for "
              "whom.";
  section.tables.push_back(StepTable(all, store_time));
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

double CpuPerRecipient(const Samples& samples, const std::string& side) {
  return CpuEach(samples, side) / static_cast<double>(kRecipients);
}

Table RelayTable(const Measurements& all) {
  Table table{"By way and messages under way",
              {{"way"},
               {"under way"},
               {"messages", "1/s"},
               {"of HTTP", "times"},
               {"p50", "ms"},
               {"p95", "ms"},
               {"calls a message"},
               {"writes a message"},
               {"sender's CPU", "µs a recipient"},
               {"receiver's CPU", "µs a recipient"},
               {"sender's CPU", "% of a core"},
               {"receiver's CPU", "% of a core"},
               {"machine busy", "%"}}};
  for (const RelaySamples& r : all.relays) {
    const Samples& samples = r.samples;
    const double messages = samples.Sum("messages");
    const bool stream = r.way->mode == relay::RelayMode::kStream;
    const double writes = samples.Sum(stream ? "stream_writes" : "calls") / messages;
    table.rows.push_back({r.way->title, Whole(r.in_flight), samples.Median("per_second"),
                          MedianRatio(samples, all.OfRelay("http", r.in_flight), "per_second"),
                          samples.Median("p50_ms"), samples.Median("p95_ms"),
                          samples.Sum("calls") / messages, writes,
                          CpuPerRecipient(samples, "caller_cpu"),
                          CpuPerRecipient(samples, "stock_cpu"), 100 * samples.Median("caller_cpu"),
                          100 * samples.Median("stock_cpu"), 100 * samples.Median("machine_busy")});
  }
  return table;
}

Plot RelayPlot(const Measurements& all, std::string title, report::Axis y,
               const std::function<double(const Samples&)>& value) {
  Plot plot{.title = std::move(title),
            .kind = PlotKind::kBar,
            .x = {"messages under way"},
            .y = std::move(y)};
  for (const RelayWay& way : AllRelayWays()) {
    report::Series series{way.title};
    for (const std::size_t in_flight : {kOneInFlight, kManyInFlight}) {
      series.points.emplace_back(static_cast<double>(in_flight),
                                 value(all.OfRelay(way.name, in_flight)));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Section RelaySection(const Measurements& all) {
  Section section{.title = "The same question for the relay"};
  section.text =
      "A message for " + std::to_string(kRecipients) +
      " recipients that are all on the other node. HTTP posts one JSON for each recipient on " +
      std::to_string(kPoolConnections) +
      " connections that are kept alive, both ends asynchronous on one thread each; the other "
      "three "
      "are the product's own relay, client and server. A message has ended when all its recipients "
      "were answered.";
  section.tables.push_back(RelayTable(all));
  section.plots.push_back(RelayPlot(all, "Messages per second", {"messages", "1/s", true},
                                    [](const Samples& s) { return s.Median("per_second"); }));
  section.plots.push_back(RelayPlot(all, "From the start until all were answered, p95",
                                    {"time", "ms", true},
                                    [](const Samples& s) { return s.Median("p95_ms"); }));
  section.plots.push_back(
      RelayPlot(all, "CPU of both sides per recipient", {"CPU", "µs", true}, [](const Samples& s) {
        return CpuPerRecipient(s, "caller_cpu") + CpuPerRecipient(s, "stock_cpu");
      }));
  return section;
}

std::string Times(double ratio) {
  return Rounded(ratio) + " times";
}

// What a step gained on another one, beside what the original saw.
std::string Gain(const Measurements& all, const std::string& what, const char* step,
                 const char* base, const std::string& original) {
  return what + ": " + Times(TakesRatio(all, step, base, kNoStore)) +
         " as many takes per second without store time, " +
         Times(TakesRatio(all, step, base, kSomeStore)) + " with 1 ms (the original: " + original +
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
                        Times(caller) + " the takes, the stock alone " + Times(stock) + ", both " +
                        Times(both) + ".";
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
         Times(TakesRatio(all, "grpc_async", "http_per_call", kSomeStore)) +
         " as many takes per second, p95 from " + p95("http_per_call") + " to " +
         p95("grpc_async") +
         " (the original: 6.4 times, 154 to 20 ms). The callers here have no pause between two "
         "wishes, so that p50 is the number of callers divided by the rate.";
}

std::string AsyncOrGrpc(const Measurements& all) {
  return "Asynchronous HTTP on connections kept alive makes " +
         Times(TakesRatio(all, "http_async", "grpc_async", kNoStore)) + " (no store time) and " +
         Times(TakesRatio(all, "http_async", "grpc_async", kSomeStore)) + " (1 ms; " +
         std::to_string(kPoolConnections) + " connections carry at most " +
         std::to_string(kPoolConnections) + " calls at once) the takes of asynchronous gRPC, and " +
         Times(TakesRatio(all, "http_async", "http_pool", kSomeStore)) +
         " those of the same HTTP with a worker each (1 ms).";
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

double CpuOfBoth(const Samples& samples) {
  return CpuPerRecipient(samples, "caller_cpu") + CpuPerRecipient(samples, "stock_cpu");
}

std::string RelayFinding(const Measurements& all, const RelayWay& way) {
  const Samples& samples = all.OfRelay(way.name, kManyInFlight);
  const Samples& alone = all.OfRelay(way.name, kOneInFlight);
  std::string finding = way.title + ": " + Rounded(samples.Median("per_second")) +
                        " messages per second with " + std::to_string(kManyInFlight) + " under way";
  if (way.mode) {
    const Samples& http = all.OfRelay("http", kManyInFlight);
    finding += " (" + Times(MedianRatio(samples, http, "per_second")) + " HTTP's)";
  }
  return finding + ", " + Rounded(CpuOfBoth(samples)) +
         " µs of CPU a recipient on both sides together; alone, a message is with all " +
         std::to_string(kRecipients) + " after " + Rounded(alone.Median("p50_ms")) + " ms (p50).";
}

// What gRPC costs or saves where it makes as many calls as HTTP.
std::string SingleOrHttp(const Measurements& all) {
  const double cpu = CpuOfBoth(all.OfRelay("single", kManyInFlight)) /
                     CpuOfBoth(all.OfRelay("http", kManyInFlight));
  return "With a call for each recipient, gRPC takes " + Times(cpu) +
         " HTTP's CPU: the protocol changes the relay by that factor, fewer calls (bulk against "
         "single) by " +
         Rounded(CpuOfBoth(all.OfRelay("single", kManyInFlight)) /
                 CpuOfBoth(all.OfRelay("bulk", kManyInFlight))) +
         ".";
}

std::vector<std::string> RelayFindings(const Measurements& all) {
  std::vector<std::string> findings;
  for (const RelayWay& way : AllRelayWays()) findings.push_back(RelayFinding(all, way));
  findings.push_back(SingleOrHttp(all));
  return findings;
}

// What disturbed the run: CPU of the machine that neither side used.
std::string OtherPrograms(const Measurements& all) {
  std::vector<double> shares;
  const auto look = [&](const Samples& samples) {
    for (const Figures& run : samples.rounds) {
      const double own = (run.Get("caller_cpu") + run.Get("stock_cpu")) / all.cores;
      shares.push_back(std::max(0.0, run.Get("machine_busy") - own));
    }
  };
  for (const StepSamples& s : all.steps) look(s.samples);
  for (const RelaySamples& r : all.relays) look(r.samples);
  if (shares.empty()) return "Nothing was measured.";
  return "Other programs used up to " + Percent(report::Largest(shares)) +
         " of the machine during a measurement (median " +
         Percent(report::Percentile(shares, 0.5)) + ").";
}

std::string Summary(const Measurements& all) {
  std::string summary;
  if (!all.steps.empty()) {
    summary += std::to_string(kCallers) +
               " callers each take one item after the other from a stock in another process, by "
               "three calls: how many are there, are there enough, take one. The same work over "
               "HTTP and gRPC, with blocking workers and without. Both sides asynchronous, with a "
               "store that takes 1 ms, do " +
               Times(TakesRatio(all, "grpc_async", "http_per_call", kSomeStore)) +
               " the work of the first step; without store time, " +
               Times(TakesRatio(all, "grpc_async", "http_per_call", kNoStore)) + ". ";
  }
  if (!all.relays.empty()) {
    summary += "A message for " + std::to_string(kRecipients) +
               " recipients on another node goes out by one call (bulk) " +
               Times(MedianRatio(all.OfRelay("bulk", kManyInFlight),
                                 all.OfRelay("single", kManyInFlight), "per_second")) +
               " as often as by a call for each (single).";
  }
  return summary;
}

template <class T>
void Append(std::vector<T>& to, std::vector<T> more) {
  for (T& item : more) to.push_back(std::move(item));
}

}  // namespace

report::ReportDocument MakeReport(const Measurements& all, const Plan& plan) {
  report::ReportDocument document;
  document.experiment = "transports";
  document.title = "Transports: the same calls over HTTP and gRPC, waiting and not waiting";
  document.summary = Summary(all);
  document.manifest = {{"rounds", Whole(plan.rounds)},
                       {"measured_ms", std::int64_t{plan.times.measured.count()}},
                       {"warm_up_ms", std::int64_t{plan.times.warm_up.count()}},
                       {"callers", Whole(kCallers)},
                       {"recipients", Whole(kRecipients)},
                       {"pool_connections", Whole(kPoolConnections)}};
  if (!all.steps.empty()) {
    document.sections.push_back(StepSection(all, kNoStore));
    document.sections.push_back(StepSection(all, kSomeStore));
    Append(document.findings, StepFindings(all));
  }
  if (!all.relays.empty()) {
    document.sections.push_back(RelaySection(all));
    Append(document.findings, RelayFindings(all));
  }
  document.findings.push_back(
      "All of it runs on one machine over loopback, where a round trip takes some tens of "
      "microseconds: compare the ratios with the original's, not the rates.");
  document.findings.push_back(OtherPrograms(all));
  document.checks = CheckSteps(all);
  Append(document.checks, CheckRelays(all));
  return document;
}

std::string RawData(const Measurements& all) {
  std::vector<std::string> runs;
  for (const StepSamples& s : all.steps) {
    for (std::size_t round = 0; round < s.samples.rounds.size(); ++round) {
      runs.push_back(JsonObject()
                         .Add("step", s.step->name)
                         .Add("store_us", std::int64_t{s.store_time.count()})
                         .Add("round", Whole(round + 1))
                         .AddRaw("figures", s.samples.rounds[round].ToJson())
                         .Take());
    }
  }
  for (const RelaySamples& r : all.relays) {
    for (std::size_t round = 0; round < r.samples.rounds.size(); ++round) {
      runs.push_back(JsonObject()
                         .Add("relay", r.way->name)
                         .Add("in_flight", Whole(r.in_flight))
                         .Add("round", Whole(round + 1))
                         .AddRaw("figures", r.samples.rounds[round].ToJson())
                         .Take());
    }
  }
  return JsonObject()
      .Add("cores", static_cast<std::int64_t>(all.cores))
      .AddRaw("runs", JsonArray(runs))
      .Take();
}

}  // namespace minichat::transports
