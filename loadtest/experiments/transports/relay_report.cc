#include "loadtest/experiments/transports/relay_report.h"

#include <cstdint>
#include <functional>
#include <utility>

#include "loadtest/experiments/transports/experiment.h"
#include "loadtest/experiments/transports/relay_account.h"
#include "loadtest/experiments/transports/words.h"

namespace minichat::transports {
namespace {

using report::Cell;
using report::Plot;
using report::PlotKind;
using report::Section;
using report::Table;

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
               {"sender's CPU", "%"},
               {"receiver's CPU", "%"},
               {"machine busy", "%"}}};
  for (const RelaySamples& r : all.relays) {
    const Samples& samples = r.samples;
    table.rows.push_back(
        {r.way->title, static_cast<std::int64_t>(r.in_flight), samples.Median("per_second"),
         MedianRatio(samples, all.OfRelay("http", r.in_flight), "per_second"),
         samples.Median("p50_ms"), samples.Median("p95_ms"), 100 * samples.Median("caller_cpu"),
         100 * samples.Median("stock_cpu"), 100 * samples.Median("machine_busy")});
  }
  return table;
}

Table RelayCostTable(const Measurements& all) {
  Table table{"What a message costs",
              {{"way"},
               {"under way"},
               {"calls"},
               {"writes to the stream"},
               {"sender's CPU", "µs a recipient"},
               {"receiver's CPU", "µs a recipient"}}};
  for (const RelaySamples& r : all.relays) {
    const Samples& samples = r.samples;
    const double messages = samples.Sum("messages");
    const bool stream = r.way->mode == relay::RelayMode::kStream;
    table.rows.push_back(
        {r.way->title, static_cast<std::int64_t>(r.in_flight), samples.Sum("calls") / messages,
         stream ? Cell(samples.Sum("stream_writes") / messages) : Cell("-"),
         CpuPerRecipient(samples, "caller_cpu"), CpuPerRecipient(samples, "stock_cpu")});
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
    finding += " (" + Factor(MedianRatio(samples, http, "per_second")) + " HTTP's)";
  }
  return finding + ", " + Rounded(CpuOfBoth(samples)) +
         " µs of CPU a recipient on both sides together; alone, a message is with all " +
         std::to_string(kRecipients) + " after " + Rounded(alone.Median("p50_ms")) + " ms (p50).";
}

// What gRPC costs or saves where it makes as many calls as HTTP.
std::string SingleOrHttp(const Measurements& all) {
  const double cpu = CpuOfBoth(all.OfRelay("single", kManyInFlight)) /
                     CpuOfBoth(all.OfRelay("http", kManyInFlight));
  return "With a call for each recipient, gRPC takes " + Factor(cpu) +
         " HTTP's CPU: the protocol changes the relay by that factor, fewer calls (bulk against "
         "single) by " +
         Rounded(CpuOfBoth(all.OfRelay("single", kManyInFlight)) /
                 CpuOfBoth(all.OfRelay("bulk", kManyInFlight))) +
         ".";
}

}  // namespace

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
  section.tables = {RelayTable(all), RelayCostTable(all)};
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

std::vector<std::string> RelayFindings(const Measurements& all) {
  std::vector<std::string> findings;
  for (const RelayWay& way : AllRelayWays()) findings.push_back(RelayFinding(all, way));
  findings.push_back(SingleOrHttp(all));
  return findings;
}

}  // namespace minichat::transports
