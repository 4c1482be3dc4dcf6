#include "loadtest/experiments/hot_spots/spots_report.h"

#include <cmath>

#include "loadtest/report/plain_text.h"
#include "server/base/json_writer.h"

namespace minichat::lab {
namespace {

using report::Cell;
using report::JsonNumber;
using report::Text;

constexpr const char* kRooms = "rooms";  // has no "before": two loads, not two ways

std::string Micros(double us) {
  return report::Millis(us / 1e3);
}

report::Table TableOf(const SpotResult& result) {
  report::Table table{result.title,
                      {{"way"},
                       {"per " + result.operation, "µs"},
                       {"times less than the first"},
                       {"CPU of the caller", "µs"},
                       {"CPU of the service", "µs"},
                       {"CPU together", "µs"},
                       {"CPU in an earlier prototype"}}};
  for (std::size_t i = 0; i < result.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    table.rows.push_back({variant.name, variant.Median(&SpotSample::wall_us), result.Gain(i),
                          variant.Median(&SpotSample::own_cpu_us),
                          variant.Median(&SpotSample::service_cpu_us), variant.MedianCpu(),
                          variant.prototype});
  }
  return table;
}

report::Plot PlotOf(const SpotResult& result) {
  report::Plot plot{
      result.title, report::PlotKind::kLine, {"round"}, {"per " + result.operation, "µs", true}};
  for (const VariantResult& variant : result.variants) {
    report::Series series{variant.name};
    for (const SpotSample& sample : variant.rounds) {
      series.points.emplace_back(static_cast<double>(series.points.size() + 1), sample.wall_us);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string Finding(const SpotResult& result) {
  const VariantResult& first = result.variants.front();
  const VariantResult& last = result.variants.back();
  const double before = first.Median(&SpotSample::wall_us);
  const double after = last.Median(&SpotSample::wall_us);
  const double gain = result.Gain(result.variants.size() - 1);
  if (result.name == kRooms) {
    const double cpu = first.MedianCpu() / last.MedianCpu();
    return result.title + ": " +
           Text("%.0f messages/s into %s, %.0f over %s; ", 1e6 / before, first.name.c_str(),
                1e6 / after, last.name.c_str()) +
           Text("a message costs %.2f times the CPU in one room. ", cpu) +
           (gain > 1.1   ? "Spread over rooms goes faster: one room's order is one line."
            : gain < 0.9 ? "One room goes faster: what comes together is handled together."
                         : "Neither is a bottleneck before the other.");
  }
  std::string text = result.title + ": " + Micros(before) + " " + first.name + ", " +
                     Micros(after) + " " + last.name + Text(", %.0f times less", gain);
  if (result.variants.size() > 2) {
    const std::size_t middle = result.variants.size() - 2;
    text += " (" + result.variants[middle].name + ": " +
            Micros(result.variants[middle].Median(&SpotSample::wall_us)) +
            Text(", %.0f times less)", result.Gain(middle));
  }
  const double service = last.Median(&SpotSample::service_cpu_us);
  const double service_before = first.Median(&SpotSample::service_cpu_us);
  text += ".";
  if (service_before > 0.5) {
    text += " Of the service's CPU it takes " + Micros(service) + " instead of " +
            Micros(service_before) + ".";
  }
  return text;
}

report::Check CheckOf(const SpotResult& result) {
  const double gain = result.Gain(result.variants.size() - 1);
  return {
      result.name + ": " + result.variants.back().name + " against " + result.variants.front().name,
      Text("at least %.0f times less", result.least_gain), Text("%.1f times less", gain),
      gain >= result.least_gain};
}

}  // namespace

report::ReportDocument ReportOf(const std::vector<SpotResult>& results) {
  report::ReportDocument document;
  document.experiment = "hot-spots";
  document.title = "Other places where such systems get slow";
  document.summary =
      "The relay is one bottleneck of a chat backend; these are others: looking up who is where, "
      "verifying who sends, storing rows, reading history, and a room that everybody talks in. "
      "Each "
      "is done in the slow way and in others, in turns within one run, against real services; "
      "where "
      "the product has code for it, that is what is measured. Every result is compared with what "
      "it "
      "must be.";
  report::Section section;
  section.title = "Before and after";
  section.text =
      "Medians over the rounds; how many times less is the median of the ratio within a round, "
      "which what else the machine does moves least. Redis and Postgres keep nothing on disk here "
      "(fsync off), so whatever waits for a disk, rows one by one first of all, costs more "
      "elsewhere.";
  for (const SpotResult& result : results) {
    section.tables.push_back(TableOf(result));
    section.plots.push_back(PlotOf(result));
    document.findings.push_back(Finding(result));
    if (result.name != kRooms) document.checks.push_back(CheckOf(result));
  }
  document.sections.push_back(std::move(section));
  return document;
}

std::string RawDataOf(const std::vector<SpotResult>& results) {
  std::vector<std::string> spots;
  for (const SpotResult& result : results) {
    std::vector<std::string> variants;
    for (const VariantResult& variant : result.variants) {
      std::vector<std::string> rounds;
      for (const SpotSample& sample : variant.rounds) {
        rounds.push_back(JsonObject()
                             .AddRaw("wall_us", JsonNumber(sample.wall_us))
                             .AddRaw("own_cpu_us", JsonNumber(sample.own_cpu_us))
                             .AddRaw("service_cpu_us", JsonNumber(sample.service_cpu_us))
                             .Take());
      }
      variants.push_back(
          JsonObject().Add("name", variant.name).AddRaw("rounds", JsonArray(rounds)).Take());
    }
    spots.push_back(
        JsonObject().Add("name", result.name).AddRaw("variants", JsonArray(variants)).Take());
  }
  return JsonArray(spots);
}

}  // namespace minichat::lab
