#include "loadtest/experiments/transports/transports_report.h"

#include <cstdint>
#include <utility>

#include "loadtest/experiments/transports/checks.h"
#include "loadtest/experiments/transports/relay_account.h"
#include "loadtest/experiments/transports/relay_report.h"
#include "loadtest/experiments/transports/step_report.h"
#include "loadtest/experiments/transports/take_run.h"
#include "loadtest/experiments/transports/words.h"
#include "server/base/json_writer.h"

namespace minichat::transports {
namespace {

std::int64_t Int(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

std::string Summary(const Measurements& all) {
  std::string summary;
  if (!all.steps.empty()) {
    summary += std::to_string(kCallers) +
               " callers each take one item after the other from a stock in another process, by "
               "three calls: how many are there, are there enough, take one. The same work over "
               "HTTP and gRPC, with blocking workers and without. Both sides asynchronous, with a "
               "store that takes 1 ms, do " +
               Factor(TakesRatio(all, "grpc_async", "http_per_call", kSomeStore)) +
               " the work of the first step; without store time, " +
               Factor(TakesRatio(all, "grpc_async", "http_per_call", kNoStore)) + ". ";
  }
  if (!all.relays.empty()) {
    summary += "A message for " + std::to_string(kRecipients) +
               " recipients on another node goes out by one call (bulk) " +
               Factor(MedianRatio(all.OfRelay("bulk", kManyInFlight),
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
  document.manifest = {{"rounds", Int(plan.rounds)},
                       {"measured_ms", std::int64_t{plan.times.measured.count()}},
                       {"warm_up_ms", std::int64_t{plan.times.warm_up.count()}},
                       {"callers", Int(kCallers)},
                       {"recipients", Int(kRecipients)},
                       {"pool_connections", Int(kPoolConnections)}};
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
  document.checks = CheckSteps(all);
  Append(document.checks, CheckRelays(all));
  document.checks.push_back(CheckMachine(all));
  return document;
}

std::string RawData(const Measurements& all) {
  std::vector<std::string> runs;
  for (const StepSamples& s : all.steps) {
    for (std::size_t round = 0; round < s.samples.rounds.size(); ++round) {
      runs.push_back(JsonObject()
                         .Add("step", s.step->name)
                         .Add("store_us", std::int64_t{s.store_time.count()})
                         .Add("round", Int(round + 1))
                         .AddRaw("figures", s.samples.rounds[round].ToJson())
                         .Take());
    }
  }
  for (const RelaySamples& r : all.relays) {
    for (std::size_t round = 0; round < r.samples.rounds.size(); ++round) {
      runs.push_back(JsonObject()
                         .Add("relay", r.way->name)
                         .Add("in_flight", Int(r.in_flight))
                         .Add("round", Int(round + 1))
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
