#include "loadtest/experiments/slow_downstream/chain_run.h"

#include <string>
#include <thread>

#include "loadtest/experiments/chain/hop_process.h"

namespace minichat::lab {
namespace {

constexpr std::chrono::seconds kPatience{20};  // beyond what the work takes
constexpr std::chrono::seconds kPingLimit{20};
constexpr int kOk = 0;
constexpr int kUnavailable = 14;

HopOptions OptionsOf(const std::string& name, const ChainPlan& plan, Condition condition) {
  HopOptions options;
  options.name = name;
  options.workers = plan.other_workers;
  options.work = plan.work;
  options.slice = plan.slice;
  options.propagate_deadline = condition != Condition::kNotPropagated;
  return options;
}

// The three services, the last one first: each is told where the next one is.
struct Chain {
  Chain(const ChainPlan& plan, Condition condition) : plan_(plan), condition_(condition) {}

  Status Start(const std::filesystem::path& dir) {
    if (const Status s = c.Start(dir); !s.ok()) return s;
    HopOptions b_options = OptionsOf("b", plan_, condition_);
    b_options.workers = plan_.b_workers;
    b_options.async = condition_ == Condition::kAsync;
    b_options.next = c.address();
    b = std::make_unique<HopProcess>(b_options);
    if (const Status s = b->Start(dir); !s.ok()) return s;
    HopOptions a_options = OptionsOf("a", plan_, condition_);
    a_options.next = b->address();
    a = std::make_unique<HopProcess>(a_options);
    return a->Start(dir);
  }

  const ChainPlan& plan_;
  const Condition condition_;
  HopProcess c{OptionsOf("c", plan_, condition_)};
  std::unique_ptr<HopProcess> b;
  std::unique_ptr<HopProcess> a;
};

std::chrono::milliseconds LimitOf(const ChainPlan& plan) {
  return 2 * plan.work + kPatience;
}

// The connections exist and the workers have started once these are answered.
Status IdlePings(HopClient& a, HopClient& b, std::size_t pings, std::vector<CallResult>* results) {
  for (HopClient* client : {&a, &b}) {
    if (client->PingAndWait(kPingLimit) != kOk) return Unavailable("chain: no answer to a Ping");
  }
  CallGatherer gathered(Now());
  for (std::size_t i = 0; i < pings; ++i) {
    b.Ping(gathered);
    if (!gathered.WaitForAll(kPingLimit)) return DeadlineExceeded("chain: an idle Ping hangs");
  }
  *results = gathered.Results();
  return {};
}

Status WaitUntilIdle(HopClient& client, TimePoint start, std::chrono::milliseconds limit,
                     std::vector<HopRecord>* records) {
  Result<HopView> view = client.View(start);
  const auto idle = [&] {
    view = client.View(start);
    return view.ok() && view->active == 0;
  };
  if (!test::WaitFor(idle, limit)) return DeadlineExceeded("chain: a service does not get done");
  *records = view->records;
  return {};
}

Status CheckReached(const std::vector<CallResult>& calls) {
  for (const CallResult& call : calls) {
    if (call.code == kUnavailable) return Unavailable("chain: a service could not be reached");
  }
  return {};
}

bool HasDeadline(Condition condition) {
  return condition == Condition::kPropagated || condition == Condition::kNotPropagated;
}

}  // namespace

Result<ChainResult> RunChain(const ChainPlan& plan, Condition condition, std::size_t round,
                             const std::filesystem::path& dir) {
  const auto logs = dir / "logs" / (std::string(NameOf(condition)) + "-" + std::to_string(round));
  std::filesystem::create_directories(logs);
  Chain chain(plan, condition);
  if (const Status s = chain.Start(logs); !s.ok()) return s;
  HopClient a(chain.a->address());
  HopClient b(chain.b->address());
  HopClient c(chain.c.address());

  ChainResult result;
  result.condition = condition;
  result.round = round;
  if (const Status s = IdlePings(a, b, plan.pings, &result.idle_pings); !s.ok()) return s;

  const TimePoint start = Now();
  CallGatherer orders(start);
  CallGatherer pings(start);
  const auto budget = HasDeadline(condition) ? std::optional(plan.budget) : std::nullopt;
  for (std::uint32_t i = 1; i <= plan.orders; ++i) a.Order(i, budget, orders);
  const std::chrono::steady_clock::time_point begin(start.time_since_epoch());
  for (std::size_t i = 1; i <= plan.pings; ++i) {
    std::this_thread::sleep_until(begin + i * plan.ping_every);
    b.Ping(pings);
  }
  const bool answered = orders.WaitForAll(LimitOf(plan)) && pings.WaitForAll(LimitOf(plan));
  if (!answered) {
    // The calls hold references to the gatherers; with the services gone they end at once.
    chain.a.reset();
    chain.b.reset();
    orders.WaitForAll(kPatience);
    pings.WaitForAll(kPatience);
    return DeadlineExceeded("chain: an order or a Ping has no answer");
  }
  result.orders = orders.Results();
  result.pings = pings.Results();
  for (const Status& s : {CheckReached(result.orders), CheckReached(result.pings),
                          WaitUntilIdle(a, start, LimitOf(plan), &result.a),
                          WaitUntilIdle(b, start, LimitOf(plan), &result.b),
                          WaitUntilIdle(c, start, LimitOf(plan), &result.c)}) {
    if (!s.ok()) return s;
  }
  return result;
}

}  // namespace minichat::lab
