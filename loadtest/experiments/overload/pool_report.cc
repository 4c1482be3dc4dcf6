#include "loadtest/experiments/overload/pool_report.h"

#include <algorithm>
#include <cmath>

#include "loadtest/report/plain_text.h"
#include "server/base/json_writer.h"

namespace minichat::lab {
namespace {

using report::Cell;
using report::Check;
using report::JsonNumber;
using report::Largest;
using report::Millis;
using report::Percentile;
using report::Text;

constexpr int kOk = 0;
constexpr int kResourceExhausted = 8;
constexpr double kRefusalMs = 50;
constexpr std::size_t kLeastRefused = 86;
constexpr std::size_t kMostRefused = 88;
// A wait on a busy machine ends later than it should, one on any machine never earlier.
constexpr double kSlack = 1.2;

double WorkMs(const PoolResult& result) {
  return static_cast<double>(result.condition.service.work.count());
}

Check Within(const std::string& name, double least_ms, double most_ms, double seen_ms) {
  return {name, Millis(least_ms) + " to " + Millis(most_ms), Millis(seen_ms),
          seen_ms >= least_ms && seen_ms <= most_ms};
}

Check AllAccepted(const PoolResult& result) {
  const std::size_t ok = result.Took(kOk).size();
  return {result.condition.name + ": requests that end OK",
          Text("all %zu", result.condition.requests), Text("%zu", ok),
          ok == result.condition.requests,
          result.condition.service.overflow == Overflow::kCallerRuns};
}

std::vector<Check> SyncChecks(const PoolResult& result) {
  const double least = result.condition.least_possible_ms();
  return {AllAccepted(result),
          Within("sync: all requests together", least, kSlack * least, result.seconds * 1e3),
          Within("sync: median request", 1.9 * WorkMs(result), 2 * kSlack * WorkMs(result),
                 Percentile(result.TookAll(), 0.5))};
}

std::vector<Check> RejectChecks(const PoolResult& result, bool quick) {
  const std::vector<double> refused = result.Took(kResourceExhausted);
  const std::size_t accepted = result.Took(kOk).size();
  const double p99 = Percentile(refused, 0.99);
  Check fast{"reject: refusals' p99", "under 50 ms", Millis(p99), p99 < kRefusalMs};
  std::vector<Check> checks{
      {"reject: refused", Text("%zu to %zu", kLeastRefused, kMostRefused),
       Text("%zu", refused.size()),
       refused.size() >= kLeastRefused && refused.size() <= kMostRefused},
      {"reject: accepted that finish", "every one that was not refused", Text("%zu", accepted),
       accepted > 0 && accepted + refused.size() == result.condition.requests}};
  if (quick) {
    // The p99 of so few is the worst of them, and this machine may do other things as well.
    const double p90 = Percentile(refused, 0.9);
    checks.push_back({"reject: refusals' p90", "under 50 ms", Millis(p90), p90 < kRefusalMs});
    fast.finding_only = true;
  }
  checks.push_back(fast);
  return checks;
}

std::vector<Check> ChecksOf(const PoolResult& result, bool quick) {
  if (result.condition.name == "sync") return SyncChecks(result);
  if (result.condition.name == "reject") return RejectChecks(result, quick);
  return {AllAccepted(result)};
}

std::string OriginalOf(const std::string& condition) {
  if (condition == "sync") return "11.1 s, 8.98/s, p50 2.0 s";
  if (condition == "reject") {
    return "87 refused, 13 accepted, 21 s, p50 1 ms, p90 6.0 s, p95 12.0 s, max 18.0 s";
  }
  return "-";
}

std::vector<Cell> RowOf(const PoolResult& result) {
  const HopOptions& service = result.condition.service;
  const bool bounded = service.queue_tasks < 1'000'000;
  const std::vector<double> all = result.TookAll();
  std::vector<double> questions;
  for (const CallResult& question : result.questions) questions.push_back(question.took_ms);
  const auto count = [&](int code) { return static_cast<std::int64_t>(result.Took(code).size()); };
  return {result.condition.name,
          Text("%zu workers, %s, work %s", service.workers,
               bounded ? Text("queue %zu", service.queue_tasks).c_str() : "queue without end",
               Millis(WorkMs(result)).c_str()),
          OriginalOf(result.condition.name),
          count(kOk),
          count(kResourceExhausted),
          result.seconds,
          static_cast<double>(all.size()) / result.seconds,
          Percentile(all, 0.5),
          Percentile(all, 0.9),
          Percentile(all, 0.95),
          Largest(all),
          Largest(questions)};
}

report::Plot TimesPlot(const std::vector<PoolResult>& results) {
  report::Plot plot{"Share of the requests that have their answer within a time",
                    report::PlotKind::kCdf,
                    {"answer after", "ms", true},
                    {"share of requests"}};
  for (const PoolResult& result : results) {
    std::vector<double> times = result.TookAll();
    std::sort(times.begin(), times.end());
    report::Series series{result.condition.name};
    for (std::size_t i = 0; i < times.size(); ++i) {
      series.points.emplace_back(times[i],
                                 static_cast<double>(i + 1) / static_cast<double>(times.size()));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

const PoolResult* Find(const std::vector<PoolResult>& results, const std::string& name) {
  const auto found = std::find_if(results.begin(), results.end(),
                                  [&](const PoolResult& r) { return r.condition.name == name; });
  return found == results.end() ? nullptr : &*found;
}

double LongestQuestion(const PoolResult& result) {
  double longest = 0;
  for (const CallResult& question : result.questions) longest = std::max(longest, question.took_ms);
  return longest;
}

std::string RejectFinding(const PoolResult& reject) {
  const std::vector<double> refused = reject.Took(kResourceExhausted);
  const std::vector<double> accepted = reject.Took(kOk);
  const double rounds = std::ceil(static_cast<double>(accepted.size()) /
                                  static_cast<double>(reject.condition.service.workers));
  std::string text =
      Text("A bound that refuses answers %zu of %zu requests with no (half of them within ",
           refused.size(), reject.condition.requests) +
      Millis(Percentile(refused, 0.5)) + ") and works off " + Text("%zu in ", accepted.size()) +
      Millis(reject.seconds * 1e3) +
      Text(", %.0f times the work of one: as many as there are rounds of %zu workers.", rounds,
           reject.condition.service.workers);
  if (accepted.size() < 13) {
    text += Text(
        " The original accepted 13, one more than workers and places hold, so one of its requests "
        "probably came after the first were done. Here all were sent within %s and %zu were taken.",
        Millis(Largest(refused)).c_str(), accepted.size());
  }
  return text;
}

std::string CallerRunsFinding(const PoolResult& result) {
  const double hardest = LongestQuestion(result);
  const double speed = result.condition.least_possible_ms() / (result.seconds * 1e3);
  const std::size_t cut = result.requests.size() - result.Took(kOk).size();
  return Text("%zu of %zu requests ended with an error. ", cut, result.requests.size()) +
         "caller_runs refuses nobody, as the thread that brings a request does the work when the "
         "pool is full: here that is a thread of gRPC itself. " +
         Text("It was %.1f times as fast as the %zu workers alone could be, ", speed,
              result.condition.service.workers) +
         "and a question that needs no worker at all had to wait up to " + Millis(hardest) +
         (hardest > WorkMs(result) / 2
              ? ": whoever reads from the network works instead, so even what costs nothing waits."
              : ": there were threads of gRPC left for it.");
}

std::string UnboundedFinding(const PoolResult& result) {
  const std::vector<double> all = result.TookAll();
  return Text(
             "A queue without an end refuses nobody either: all %zu requests ended, after %s in "
             "all. ",
             all.size(), Millis(result.seconds * 1e3).c_str()) +
         "Half of them waited " + Millis(Percentile(all, 0.5)) +
         Text(" or longer for %s of work. ", Millis(WorkMs(result)).c_str()) +
         Text("What kept the queue short was only that no more than %zu callers asked at once.",
              result.condition.at_once);
}

void AddFindings(const std::vector<PoolResult>& results, std::vector<std::string>* findings) {
  if (const PoolResult* sync = Find(results, "sync")) {
    findings->push_back(Text("%zu workers and %zu callers at once: %.2f requests/s, ",
                             sync->condition.service.workers, sync->condition.at_once,
                             static_cast<double>(sync->requests.size()) / sync->seconds) +
                        "median " + Millis(Percentile(sync->TookAll(), 0.5)) + ", all in " +
                        Millis(sync->seconds * 1e3) + "; the least possible is " +
                        Millis(sync->condition.least_possible_ms()) +
                        ". Half of each request's time is waiting for a worker.");
  }
  if (const PoolResult* reject = Find(results, "reject")) {
    findings->push_back(RejectFinding(*reject));
  }
  if (const PoolResult* runs = Find(results, "caller_runs")) {
    findings->push_back(CallerRunsFinding(*runs));
  }
  if (const PoolResult* unbounded = Find(results, "unbounded")) {
    findings->push_back(UnboundedFinding(*unbounded));
  }
}

}  // namespace

void AddPools(const std::vector<PoolResult>& results, bool quick,
              report::ReportDocument* document) {
  report::Section section;
  section.title = "A pool of workers";
  section.text =
      "A gRPC service whose requests are worked on by the product's executor; each worker is held "
      "for the whole of the work. Callers send their next request when they have an answer, a "
      "refusal included. A question needs no worker: it shows whether the service can be reached "
      "at "
      "all. The service is a process of its own and speaks gRPC, as the original's did, because "
      "what overflow does to the threads that read from the network can't be seen within one "
      "process.";
  report::Table table{"What became of the requests",
                      {{"policy"},
                       {"service"},
                       {"original"},
                       {"OK"},
                       {"refused"},
                       {"all in", "s"},
                       {"answers", "1/s"},
                       {"p50", "ms"},
                       {"p90", "ms"},
                       {"p95", "ms"},
                       {"max", "ms"},
                       {"longest question", "ms"}}};
  for (const PoolResult& result : results) {
    table.rows.push_back(RowOf(result));
    const std::vector<Check> checks = ChecksOf(result, quick);
    document->checks.insert(document->checks.end(), checks.begin(), checks.end());
  }
  section.tables.push_back(std::move(table));
  section.plots.push_back(TimesPlot(results));
  document->sections.push_back(std::move(section));
  AddFindings(results, &document->findings);
}

std::string RawDataOf(const std::vector<PoolResult>& results) {
  const auto calls = [](const std::vector<CallResult>& all) {
    std::vector<std::string> values;
    values.reserve(all.size());
    for (const CallResult& call : all) {
      values.push_back("[" + JsonNumber(call.at_ms) + "," + JsonNumber(call.took_ms) + "," +
                       std::to_string(call.code) + "]");
    }
    return JsonArray(values);
  };
  std::vector<std::string> values;
  values.reserve(results.size());
  for (const PoolResult& result : results) {
    values.push_back(JsonObject()
                         .Add("condition", result.condition.name)
                         .AddRaw("seconds", JsonNumber(result.seconds))
                         .Add("columns", "at_ms, took_ms, gRPC code")
                         .AddRaw("requests", calls(result.requests))
                         .AddRaw("questions", calls(result.questions))
                         .Take());
  }
  return JsonArray(values);
}

}  // namespace minichat::lab
