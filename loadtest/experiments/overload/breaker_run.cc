#include "loadtest/experiments/overload/breaker_run.h"

#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "loadtest/experiments/chain/hop_client.h"
#include "loadtest/experiments/chain/hop_process.h"
#include "server/base/asio_scheduler.h"

namespace minichat::lab {
namespace {

using State = Breaker::State;

constexpr std::chrono::seconds kLimit{120};  // of the whole
constexpr std::size_t kWorkers = 2;
constexpr std::size_t kPlaces = 10;
constexpr int kOk = 0;
constexpr int kDeadlineExceeded = 4;
constexpr int kResourceExhausted = 8;
constexpr int kUnavailable = 14;

// As the relay judges its calls.
Breaker::Outcome OutcomeOf(int code) {
  const bool trouble =
      code == kUnavailable || code == kDeadlineExceeded || code == kResourceExhausted;
  return trouble ? Breaker::Outcome::kFailure : Breaker::Outcome::kSuccess;
}

// Everything here runs on the thread that runs `io`, but for gRPC's callbacks, which only post.
//
// Lifetime: Finish() waits for all calls.
class BreakerRun {
 public:
  BreakerRun(const BreakerPlan& plan, HopClient& client)
      : plan_(plan), client_(client), breaker_(plan.breaker, scheduler_) {
    Note();
  }

  Status Run() {
    for (std::uint32_t i = 1; i <= plan_.orders; ++i) SendOrder(i);
    scheduler_.RunAfter(plan_.burst_every, [this] { Burst(); });
    scheduler_.RunAfter(kLimit, [this] { Fail("does not recover"); });
    const auto keep_running = boost::asio::make_work_guard(io_);
    io_.run();
    // gRPC's callbacks use the scheduler: none may be left.
    while (pending_ > 0) {
      io_.restart();
      io_.run_one();
    }
    return failure_;
  }

  BreakerResult TakeResult() { return std::move(result_); }

 private:
  double MillisNow() const {
    return std::chrono::duration<double, std::milli>(Now() - start_).count();
  }

  void Note() {
    if (!result_.changes.empty() && result_.changes.back().state == breaker_.state()) return;
    result_.changes.push_back({MillisNow(), breaker_.state()});
    if (breaker_.state() == State::kClosed && result_.changes.size() > 1) {
      result_.closed_at_ms = MillisNow();
    }
  }

  void SendOrder(std::uint32_t number) {
    ++pending_;
    client_.Order(number, kLimit, [this](int code) {
      scheduler_.Post([this, code] {
        --pending_;
        if (code != kOk) return Fail("an order that fills the service was not accepted");
        if (++orders_done_ == plan_.orders) result_.free_at_ms = MillisNow();
      });
    });
  }

  void Burst() {
    for (std::size_t i = 0; i < plan_.burst; ++i) Call();
    const bool recovered = result_.closed_at_ms && breaker_.state() == State::kClosed &&
                           result_.free_at_ms.has_value();
    if (recovered && ++bursts_after_ > plan_.bursts_after) return io_.stop();
    scheduler_.RunAfter(plan_.burst_every, [this] { Burst(); });
  }

  void Call() {
    BreakerCall call;
    call.at_ms = MillisNow();
    const TimePoint before = Now();
    const Breaker::Ticket ticket = breaker_.Admit();
    call.decision_us = std::chrono::duration<double, std::micro>(Now() - before).count();
    Note();
    call.state = breaker_.state();
    call.admitted = ticket.admitted();
    result_.calls.push_back(call);
    if (!ticket.admitted()) return;
    ++result_.changes.back().admitted;
    ++pending_;
    client_.Ping(plan_.call_limit, [this, ticket, index = result_.calls.size() - 1](int code) {
      scheduler_.Post([this, ticket, index, code] { OnEnded(ticket, index, code); });
    });
  }

  void OnEnded(Breaker::Ticket ticket, std::size_t index, int code) {
    --pending_;
    result_.calls[index].code = code;
    breaker_.Record(ticket, OutcomeOf(code));
    Note();
  }

  void Fail(const char* why) {
    failure_ = Unavailable(std::string("overload: breaker: ") + why);
    io_.stop();
  }

  const BreakerPlan plan_;
  HopClient& client_;
  boost::asio::io_context io_{1};
  AsioScheduler scheduler_{io_};
  Breaker breaker_;
  const TimePoint start_ = Now();
  BreakerResult result_;
  Status failure_;
  std::size_t pending_ = 0;
  std::size_t orders_done_ = 0;
  std::size_t bursts_after_ = 0;
};

}  // namespace

BreakerPlan BreakerPlan::Quick() {
  BreakerPlan plan;
  plan.work = std::chrono::milliseconds(300);
  return plan;
}

Result<BreakerResult> RunBreaker(const BreakerPlan& plan, const std::filesystem::path& dir) {
  const auto logs = dir / "logs";
  std::filesystem::create_directories(logs);
  HopOptions options;
  options.name = "breaker";
  options.workers = kWorkers;
  options.queue_tasks = kPlaces;
  options.work = plan.work;
  HopProcess service(options);
  if (const Status s = service.Start(logs); !s.ok()) return s;
  HopClient client(service.address());
  if (!client.View(Now()).ok()) {  // needs no worker, so all are still to be started
    return Unavailable("overload: the service does not answer");
  }
  BreakerRun run(plan, client);
  if (const Status s = run.Run(); !s.ok()) return s;
  return run.TakeResult();
}

}  // namespace minichat::lab
