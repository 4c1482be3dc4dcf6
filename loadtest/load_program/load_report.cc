#include "loadtest/load_program/load_report.h"

#include <cstdarg>
#include <cstdio>

namespace minichat::loadtest {
namespace {

namespace json = boost::json;

__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

double Seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::int64_t EpochMs(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

json::object Phase(WallTime start, WallTime end) {
  return {{"start_at", EpochMs(start)}, {"end_at", EpochMs(end)}};
}

json::object Percentiles(const LatencyHistogram& latency) {
  return {{"count", latency.count()},    {"p50", latency.AtMs(0.50)}, {"p75", latency.AtMs(0.75)},
          {"p90", latency.AtMs(0.90)},   {"p95", latency.AtMs(0.95)}, {"p99", latency.AtMs(0.99)},
          {"p999", latency.AtMs(0.999)}, {"max", latency.AtMs(1)}};
}

// The distribution as points: each percent, and the tail finer.
json::array Cdf(const LatencyHistogram& latency) {
  json::array points;
  if (latency.count() == 0) return points;
  const auto add = [&](double share) { points.push_back(json::array{latency.AtMs(share), share}); };
  for (int percent = 0; percent < 100; ++percent) add(percent / 100.0);
  for (const double share : {0.995, 0.999, 0.9995, 0.9999, 1.0}) add(share);
  return points;
}

json::object Options(const LoadCommand& command) {
  return {{"members", command.members},
          {"talkers", command.talkers},
          {"rate", command.rate},
          {"duration_s", Seconds(command.duration)},
          {"drain_s", Seconds(command.drain)},
          {"rooms", command.rooms},
          {"text_bytes", command.text_bytes},
          {"label", command.label},
          {"allow_misordered", command.allow_misordered}};
}

json::object Counts(const LoadResult& result) {
  const DeliveryCounts& counts = result.counts;
  json::object errors;
  for (const auto& [code, count] : counts.errors) errors[code] = count;
  return {{"sent", counts.sent},
          {"acked", counts.acked},
          {"expected", counts.expected},
          {"received", counts.received},
          {"lost", counts.lost},
          {"repeated", counts.repeated},
          {"misordered", counts.misordered},
          {"wrong_id", counts.wrong_id},
          {"foreign", counts.foreign},
          {"duplicate_acks", counts.duplicate_acks},
          {"answered_twice", counts.answered_twice},
          {"closed_connections", result.closed_connections},
          {"errors", errors}};
}

double CpuShare(const LoadResult& result) {
  return result.send_seconds > 0 ? result.send_cpu_seconds / result.send_seconds : 0;
}

json::object Generator(const LoadReport& report) {
  const LoadResult& result = report.result;
  return {{"cpu_seconds", result.send_cpu_seconds},
          {"wall_seconds", result.send_seconds},
          {"cpu_share", CpuShare(result)},
          {"peak_cpu_share", result.peak_cpu_share},
          {"late_sends", result.late_sends},
          {"connections", report.connections},
          {"open_files_limit", report.open_files_limit}};
}

json::array Series(const LoadResult& result) {
  json::array series;
  for (const LoadSecond& second : result.series) {
    series.push_back({{"t", second.second},
                      {"sent", second.sent},
                      {"acked", second.acked},
                      {"received", second.received},
                      {"p50", second.p50_ms},
                      {"p95", second.p95_ms},
                      {"max", second.max_ms},
                      {"cpu_share", second.cpu_share}});
  }
  return series;
}

std::string LatencyRow(const char* name, const LatencyHistogram& latency) {
  return Format("%-12s %10llu %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f\n", name,
                static_cast<unsigned long long>(latency.count()), latency.AtMs(0.50),
                latency.AtMs(0.90), latency.AtMs(0.95), latency.AtMs(0.99), latency.AtMs(0.999),
                latency.AtMs(1));
}

std::string Number(std::uint64_t count) {
  return std::to_string(count);
}

}  // namespace

std::string LoadReport::Findings() const {
  std::string text =
      result.counts.Findings(command.allow_misordered ? Order::kMayBreak : Order::kMustHold);
  if (result.closed_connections > 0) {
    text += (text.empty() ? "" : ", ") + Number(result.closed_connections) +
            " connections ended early (the last: " + result.close_cause + ")";
  }
  return text;
}

json::object ToJson(const LoadReport& report) {
  const LoadResult& result = report.result;
  json::object document{
      {"tool", "minichat-load"},
      {"version", MINICHAT_VERSION},
      {"options", Options(report.command)},
      {"ok", report.ok()},
      {"findings", report.Findings()},
      {"stopped", result.stopped},
      {"counts", Counts(result)},
      {"latency_ms",
       {{"delivery", Percentiles(result.delivery)},
        {"ack", Percentiles(result.ack)},
        {"delivery_cdf", Cdf(result.delivery)}}},
      {"relay_calls", {{"single", result.single_calls}, {"bulk", result.bulk_calls}}},
      {"generator", Generator(report)},
      {"phases",
       {{"connect", Phase(report.connect_start, report.connect_end)},
        {"send", Phase(result.send_start, result.send_end)},
        {"drain", Phase(result.send_end, result.drain_end)}}},
      {"series", Series(result)}};
  if (!report.command.ids_file.empty()) document["ids_file"] = report.command.ids_file;
  return document;
}

std::string ToTable(const LoadReport& report) {
  const LoadCommand& command = report.command;
  const LoadResult& result = report.result;
  const DeliveryCounts& counts = result.counts;
  std::string text =
      Format("%zu room(s) of %zu members, %zu of them talking, %g messages/s for %.1f s%s\n\n",
             command.rooms, command.members, command.talkers, command.rate, result.send_seconds,
             result.stopped ? " (stopped before its time)" : "");
  text += "sent " + Number(counts.sent) + ", acknowledged " + Number(counts.acked) + ", received " +
          Number(counts.received) + " of " + Number(counts.expected) + "\n";
  text += "lost " + Number(counts.lost) + ", repeated " + Number(counts.repeated) +
          ", misordered " + Number(counts.misordered) + "\n\n";
  text += Format("%-12s %10s %8s %8s %8s %8s %8s %8s\n", "ms", "count", "p50", "p90", "p95", "p99",
                 "p99.9", "max");
  text += LatencyRow("delivery", result.delivery);
  text += LatencyRow("acknowledge", result.ack);
  text +=
      Format("\ngenerator: %.0f %% of a core (%.0f %% in its busiest second), %llu late sends\n",
             100 * CpuShare(result), 100 * result.peak_cpu_share,
             static_cast<unsigned long long>(result.late_sends));
  text += report.ok() ? "all right: every message is with every member, once and in order\n"
                      : "NOT all right: " + report.Findings() + "\n";
  if (report.ok() && counts.misordered > 0) text += "(misordered ones were allowed)\n";
  return text;
}

std::string ProgressLine(const LoadProgress& progress) {
  const LoadSecond& last = progress.last;
  const DeliveryCounts& counts = progress.counts;
  std::uint64_t refused = 0;
  for (const auto& [code, count] : counts.errors) refused += count;
  return Format(
      "%4zu s %-8s sent %llu  acked %llu  refused %llu  received %llu of %llu  p50 %.1f  p95 %.1f "
      " max %.1f ms  cpu %.0f %%\n",
      last.second + 1, progress.draining ? "draining" : "sending",
      static_cast<unsigned long long>(counts.sent), static_cast<unsigned long long>(counts.acked),
      static_cast<unsigned long long>(refused), static_cast<unsigned long long>(counts.received),
      static_cast<unsigned long long>(counts.expected), last.p50_ms, last.p95_ms, last.max_ms,
      100 * last.cpu_share);
}

}  // namespace minichat::loadtest
