#include "loadtest/experiments/transports/checks.h"

#include <algorithm>
#include <functional>

#include "loadtest/experiments/transports/experiment.h"
#include "loadtest/experiments/transports/relay_account.h"
#include "loadtest/experiments/transports/words.h"
#include "loadtest/report/plain_text.h"

namespace minichat::transports {
namespace {

using report::Check;

// Above, the figures are those of a machine that had something else to do: ratios still hold, rates
// and latencies do not.
constexpr double kMostOthers = 0.15;

// A count of all runs of some conditions, and how many of these runs had it wrong.
class Tally {
 public:
  Tally(std::string name, std::string wanted) : check_{std::move(name), std::move(wanted), {}} {}

  // Not a number is never right.
  void Add(double count, bool right) {
    count_ += count;
    ++runs_;
    if (!right) ++wrong_;
  }
  Check Finish(const std::string& noun) {
    check_.seen = Whole(count_) + " " + noun + " in " + Counted(runs_, "run") +
                  (wrong_ == 0 ? "" : "; not so in " + std::to_string(wrong_));
    check_.ok = wrong_ == 0 && runs_ > 0;
    return check_;
  }

 private:
  Check check_;
  double count_ = 0;
  std::size_t runs_ = 0;
  std::size_t wrong_ = 0;
};

void ForEachStepRun(const Measurements& all,
                    const std::function<void(const Step&, const Figures&)>& look) {
  for (const StepSamples& s : all.steps) {
    for (const Figures& run : s.samples.rounds) look(*s.step, run);
  }
}

void ForEachRelayRun(const Measurements& all,
                     const std::function<void(const RelayWay&, const Figures&)>& look) {
  for (const RelaySamples& r : all.relays) {
    for (const Figures& run : r.samples.rounds) look(*r.way, run);
  }
}

Check AtLeast(std::string name, double wanted, double seen) {
  return {std::move(name), "at least " + Factor(wanted), Factor(seen), seen >= wanted};
}

Check Finding(Check check) {
  check.finding_only = true;
  return check;
}

Check EveryTakeAnswered(const Measurements& all) {
  Tally tally("Every take was answered", "no call failed, and some were made");
  ForEachStepRun(all, [&](const Step&, const Figures& run) {
    tally.Add(run.Get("takes"), run.Get("failed") == 0 && run.Get("measured") > 0);
  });
  return tally.Finish("takes");
}

Check StockLeft(const Measurements& all) {
  Tally tally("The stock is what the takes left of it",
              "initial = left + takes, and the service took as many as were answered");
  ForEachStepRun(all, [&](const Step&, const Figures& run) {
    tally.Add(run.Get("taken"), run.Get("initial") - run.Get("left") == run.Get("takes") &&
                                    run.Get("taken") == run.Get("takes"));
  });
  return tally.Finish("items taken");
}

Check AnswersAddUp(const Measurements& all) {
  Tally tally("Every take was answered with the right number left",
              "for each of the items, the answers are N-1, N-2, … in some order");
  ForEachStepRun(all, [&](const Step&, const Figures& run) {
    tally.Add(run.Get("wrong_items"), run.Get("wrong_items") == 0);
  });
  return tally.Finish("items with another sum");
}

Check CallsOfTakes(const Measurements& all) {
  Tally tally("Calls of a take", "exactly 3: get, check, update; exactly 1 as one call");
  ForEachStepRun(all, [&](const Step& step, const Figures& run) {
    const auto each = static_cast<double>(CallsPerTake(step));
    tally.Add(run.Get("calls"), run.Get("calls") == each * run.Get("takes"));
  });
  return tally.Finish("calls");
}

Check ConnectionPerCall(const Measurements& all) {
  Tally tally("A connection per call", "as many connections as calls");
  ForEachStepRun(all, [&](const Step& step, const Figures& run) {
    if (step.transport != Transport::kHttpPerCall) return;
    tally.Add(run.Get("connections"), run.Get("connections") == run.Get("calls"));
  });
  return tally.Finish("connections");
}

Check PoolBound(const Measurements& all) {
  Tally tally("The keep-alive pool", "at least 1 and at most " + std::to_string(kPoolConnections) +
                                         " connections in a run");
  ForEachStepRun(all, [&](const Step& step, const Figures& run) {
    if (step.transport != Transport::kHttpPool) return;
    const double connections = run.Get("connections");
    tally.Add(connections,
              connections >= 1 && connections <= static_cast<double>(kPoolConnections));
  });
  return tally.Finish("connections");
}

Check RecipientsOnce(const Measurements& all) {
  Tally tally("Every recipient was handed every message once",
              std::to_string(kRecipients) + " recipients a message, none missing, none twice");
  ForEachRelayRun(all, [&](const RelayWay&, const Figures& run) {
    const double expected = run.Get("messages") * static_cast<double>(kRecipients);
    tally.Add(run.Get("handed"),
              run.Get("measured") > 0 && run.Get("incomplete") == 0 && run.Get("missing") == 0 &&
                  run.Get("repeated") == 0 && run.Get("unknown") == 0 &&
                  run.Get("highest_seq") == run.Get("messages") && run.Get("handed") == expected);
  });
  return tally.Finish("recipients handed a message");
}

// A request on the wire for each recipient, or one for all.
Check CallsOfMessages(const Measurements& all) {
  Tally tally("Calls of a message", "exactly " + std::to_string(kRecipients) +
                                        " over HTTP and in single, exactly 1 in bulk and stream");
  ForEachRelayRun(all, [&](const RelayWay& way, const Figures& run) {
    const bool each = !way.mode || *way.mode == relay::RelayMode::kSingle;
    const double per_message = each ? static_cast<double>(kRecipients) : 1;
    tally.Add(run.Get("calls"), run.Get("calls") == per_message * run.Get("messages"));
  });
  return tally.Finish("calls");
}

Check StreamWrites(const Measurements& all) {
  Tally tally("Writes to the stream", "at least 1, and never more than there are messages");
  ForEachRelayRun(all, [&](const RelayWay& way, const Figures& run) {
    if (way.mode != relay::RelayMode::kStream) return;
    const double writes = run.Get("stream_writes");
    tally.Add(writes, writes >= 1 && writes <= run.Get("messages"));
  });
  return tally.Finish("writes");
}

// Of each measurement, the share of the machine that neither side used.
std::vector<double> OtherShares(const Measurements& all) {
  std::vector<double> shares;
  const auto look = [&](const Figures& run) {
    const double own = (run.Get("caller_cpu") + run.Get("stock_cpu")) / all.cores;
    shares.push_back(std::max(run.Get("machine_busy") - own, 0.0));
  };
  ForEachStepRun(all, [&](const Step&, const Figures& run) { look(run); });
  ForEachRelayRun(all, [&](const RelayWay&, const Figures& run) { look(run); });
  return shares;
}

}  // namespace

Check CheckMachine(const Measurements& all) {
  const std::vector<double> shares = OtherShares(all);
  const double median = report::Percentile(shares, 0.5);
  return {"The machine was free for it",
          "other programs use at most " + Percent(kMostOthers) + " of it (median)",
          Percent(median) + ", at most " + Percent(report::Largest(shares)), median <= kMostOthers,
          true};
}

std::vector<Check> CheckSteps(const Measurements& all) {
  if (all.steps.empty()) return {};
  const auto ratio = [&all](const char* step, const char* base, std::chrono::microseconds store) {
    return TakesRatio(all, step, base, store);
  };
  return {EveryTakeAnswered(all),
          StockLeft(all),
          AnswersAddUp(all),
          CallsOfTakes(all),
          ConnectionPerCall(all),
          PoolBound(all),
          AtLeast("gRPC, both asynchronous, against a connection per call (store 1 ms)", 3,
                  ratio("grpc_async", "http_per_call", kSomeStore)),
          AtLeast("Both asynchronous against 2 + 2 workers (store 1 ms)", 3,
                  ratio("grpc_async", "grpc_2", kSomeStore)),
          Finding(AtLeast("2 + 2 workers against 1 + 1 (store 1 ms)", 1.3,
                          ratio("grpc_2", "grpc", kSomeStore))),
          Finding(AtLeast("gRPC against a connection per call, 1 + 1 workers (no store time)", 1,
                          ratio("grpc", "http_per_call", kNoStore))),
          Finding(AtLeast("Connections kept alive against one per call (no store time)", 1,
                          ratio("http_pool", "http_per_call", kNoStore))),
          Finding(AtLeast("One call against three, both asynchronous (no store time)", 1.5,
                          ratio("grpc_async_take", "grpc_async", kNoStore)))};
}

std::vector<Check> CheckRelays(const Measurements& all) {
  if (all.relays.empty()) return {};
  const auto ratio = [&all](const char* way, const char* base) {
    return MedianRatio(all.OfRelay(way, kManyInFlight), all.OfRelay(base, kManyInFlight),
                       "per_second");
  };
  return {RecipientsOnce(all),
          CallsOfMessages(all),
          StreamWrites(all),
          AtLeast("Messages per second, bulk against single", 3, ratio("bulk", "single")),
          AtLeast("Messages per second, bulk against HTTP per recipient", 3, ratio("bulk", "http")),
          Finding(AtLeast("Messages per second, single against HTTP per recipient", 1,
                          ratio("single", "http")))};
}

}  // namespace minichat::transports
