#include "loadtest/smoke/smoke.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <unistd.h>

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kConnectLimit{15};
constexpr std::size_t kWarmUpMessages = 36;
constexpr seconds kModeLimit{10};  // docs/architecture.md: 2 s, and slack for a busy machine
constexpr seconds kMeetLimit{10};
constexpr milliseconds kPollEvery{50};

// Different for each run on one machine: rooms and cids may not meet those of an earlier run.
std::string RunLabel() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  char text[64];
  std::snprintf(text, sizeof text, "smoke-%llx-%x",
                static_cast<unsigned long long>(
                    std::chrono::duration_cast<std::chrono::milliseconds>(now).count()),
                static_cast<unsigned>(getpid()));
  return text;
}

std::size_t Delta(const std::vector<MetricsSnapshot>& before,
                  const std::vector<MetricsSnapshot>& after, std::string_view name,
                  std::initializer_list<MetricsSnapshot::Label> labels = {}) {
  return static_cast<std::size_t>(
      std::max(0.0, SumOver(after, name, labels) - SumOver(before, name, labels)));
}

constexpr std::string_view kCalls = "minichat_relay_calls_total";
constexpr std::string_view kPulls = "minichat_pulls_total";

void Move(std::vector<std::string> from, std::vector<std::string>* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

}  // namespace

Smoke::Smoke(Cluster cluster, SmokeOptions options, std::function<bool()> go_on)
    : cluster_(std::move(cluster)),
      options_(std::move(options)),
      go_on_(std::move(go_on)),
      run_label_(RunLabel()),
      admin_(cluster_),
      kafka_(cluster_.kafka),
      postgres_(cluster_.postgres) {}

Result<SmokeResult> Smoke::Run() {
  if (cluster_.auth != "insecure") {
    return FailedPrecondition("smoke: needs a cluster with auth insecure");
  }
  // Just after the start a node may not know all others yet, and relays to those it knows.
  const auto acquainted = [&] { return admin_.AllNodesSeeEachOther(); };
  if (!loop_.RunUntil(acquainted, kMeetLimit, kPollEvery)) {
    return Unavailable("smoke: not every node of the cluster sees all others alive");
  }
  const auto mode_before = admin_.ClusterMode();
  if (!mode_before.ok()) return mode_before.status();
  SmokeResult result;
  result.options = options_;
  result.nodes = cluster_.nodes.size();
  Status failure;
  for (const std::string& mode : options_.modes) {
    Result<ModeResult> one = RunMode(mode);
    if (!one.ok()) {
      failure = one.status();
      break;
    }
    result.modes.push_back(std::move(one).value());
  }
  const Status restored = admin_.SetClusterMode(*mode_before);
  if (!failure.ok()) return failure;
  if (!restored.ok()) return restored;
  return result;
}

Status Smoke::EnterMode(const std::string& mode) {
  if (const Status set = admin_.SetClusterMode(mode); !set.ok()) return set;
  const auto there = [&] { return admin_.AllNodesIn(mode); };
  if (loop_.RunUntil(there, kModeLimit, kPollEvery)) return {};
  return DeadlineExceeded("smoke: not every node relays in mode " + mode);
}

Result<Smoke::Before> Smoke::Look() {
  auto metrics = admin_.Scrape();
  if (!metrics.ok()) return metrics.status();
  auto log = kafka_.Ends();
  if (!log.ok()) return log.status();
  return Before{std::move(metrics).value(), std::move(log).value()};
}

// The first call between two nodes opens channels and streams and may come late. That is no fault,
// so what is counted begins after it.
Status Smoke::WarmUp(const std::string& mode) {
  const LoadPlan plan(
      {cluster_.nodes.size(), options_.rooms, options_.members, kWarmUpMessages, options_.rate},
      run_label_ + "-warm-" + mode);
  LoadRun run(loop_, cluster_, plan);
  if (const Status s = run.Connect(kConnectLimit); !s.ok()) return s;
  const Result<Before> before = Look();
  if (!before.ok()) return before.status();
  run.Send(options_.patience, go_on_);
  ModeResult calls;
  calls.mode = mode;
  calls.relay_calls_computed = plan.RelayCalls(mode);
  WaitForRelayCalls(*before, calls);
  run.Close();
  return {};
}

Result<ModeResult> Smoke::RunMode(const std::string& mode) {
  if (const Status entered = EnterMode(mode); !entered.ok()) return entered;
  if (const Status warm = WarmUp(mode); !warm.ok()) return warm;
  if (!go_on_()) return Aborted("smoke: interrupted");
  const LoadPlan plan(
      {cluster_.nodes.size(), options_.rooms, options_.members, options_.messages, options_.rate},
      run_label_ + "-" + mode);
  LoadRun run(loop_, cluster_, plan);
  if (const Status s = run.Connect(kConnectLimit); !s.ok()) return s;
  const Result<Before> before = Look();
  if (!before.ok()) return before.status();
  run.Send(options_.patience, [&] {
    std::fprintf(stderr, "smoke: %s: %zu of %zu sent, %zu acknowledged\n", mode.c_str(), run.sent(),
                 plan.shape().messages, run.acked());
    return go_on_();
  });
  if (!go_on_()) return Aborted("smoke: interrupted");

  ModeResult result;
  result.mode = mode;
  result.sent = run.sent();
  result.acked = run.acked();
  result.errors = run.errors();
  result.pairs = plan.NodePairs();
  result.pairs_expected = cluster_.nodes.size() * cluster_.nodes.size();
  result.relay_calls_computed = plan.RelayCalls(mode);
  result.closed_sessions = run.closed_sessions();
  result.late_sends = run.late_sends();
  result.ack = run.AckLatency();
  result.delivery = run.DeliveryLatency();
  if (const Status s = AddCounters(*before, &result); !s.ok()) return s;
  if (const Status s = AddLog(plan, run, *before, &result); !s.ok()) return s;
  if (const Status s = AddRows(plan, run, &result); !s.ok()) return s;
  result.received = CountReceived(plan, run);
  JudgeFigures(&result);
  run.Close();
  return result;
}

// A call is counted when it is answered, which may be after its events have arrived.
void Smoke::WaitForRelayCalls(const Before& before, const ModeResult& result) {
  const auto counted = [&] {
    const auto now = admin_.Scrape();
    return now.ok() && Delta(before.metrics, *now, kCalls, {{"mode", result.mode}}) >=
                           result.relay_calls_computed;
  };
  // When they don't come, the figures say so.
  loop_.RunUntil(counted, seconds(2), kPollEvery);
}

Status Smoke::AddCounters(const Before& before, ModeResult* result) {
  WaitForRelayCalls(before, *result);
  const auto after = admin_.Scrape();
  if (!after.ok()) return after.status();
  const auto calls = [&](std::initializer_list<MetricsSnapshot::Label> labels) {
    return Delta(before.metrics, *after, kCalls, labels);
  };
  result->relay_calls = calls({{"mode", result->mode}});
  result->relay_calls_failed =
      result->relay_calls - calls({{"mode", result->mode}, {"code", "OK"}});
  result->relay_calls_other = calls({}) - result->relay_calls;
  result->pulls = Delta(before.metrics, *after, kPulls, {{"cause", "hole"}}) +
                  Delta(before.metrics, *after, kPulls, {{"cause", "sweep"}});
  return {};
}

Status Smoke::AddLog(const LoadPlan& plan, const LoadRun& run, const Before& before,
                     ModeResult* result) {
  const auto ends = kafka_.Ends();
  if (!ends.ok()) return ends.status();
  result->log_increase = Increase(before.log, *ends);
  const auto entries = kafka_.Read(before.log, *ends);
  if (!entries.ok()) return entries.status();
  Move(CompareLog(plan, run, *entries), &result->differences);
  return {};
}

// The persister is behind the acknowledgements by up to some seconds.
void Smoke::WaitForRows(const LoadPlan& plan, std::size_t expected) {
  const auto stored = [&] {
    const auto count = postgres_.CountRows(plan.Rooms());
    return count.ok() && *count >= expected;
  };
  loop_.RunUntil(stored, options_.patience, milliseconds(200));
}

Status Smoke::AddRows(const LoadPlan& plan, LoadRun& run, ModeResult* result) {
  WaitForRows(plan, run.acked());
  RowsByRoom rows;
  for (const std::string& room : plan.Rooms()) {
    auto stored = postgres_.Rows(room);
    if (!stored.ok()) return stored.status();
    result->rows += stored->size();
    rows[room] = std::move(stored).value();
  }
  Move(CompareRows(plan, run, rows), &result->differences);
  Move(CompareViews(plan, run, rows), &result->differences);
  return {};
}

}  // namespace minichat::loadtest
