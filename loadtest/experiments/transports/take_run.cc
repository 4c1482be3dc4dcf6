#include "loadtest/experiments/transports/take_run.h"

#include <array>
#include <atomic>
#include <deque>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "loadtest/experiments/transports/open_count.h"
#include "server/base/mutex.h"

namespace minichat::transports {
namespace {

using Clock = std::chrono::steady_clock;

// The calls of one take, in their order; the last one takes.
std::span<const StockOp> OpsOf(const Step& step) {
  static constexpr std::array kThree = {StockOp::kGet, StockOp::kCheck, StockOp::kUpdate};
  static constexpr std::array kOne = {StockOp::kTake};
  return step.one_call ? std::span<const StockOp>(kOne) : std::span<const StockOp>(kThree);
}

// What an answer means for the take: failed calls, and items that are not there, end it.
Status CheckAnswer(const Result<StockAnswer>& answer) {
  if (!answer.ok()) return answer.status();
  if (!answer.value().ok) return NotFound("stock: not enough left");
  return {};
}

// What both kinds of run share.
struct RunState {
  explicit RunState(const Step& step) : ops(OpsOf(step)) {}

  std::uint32_t NextItem() { return next_item++ % kItems; }
  void Fail(const Status& why) {
    account.Failed(why);
    stop = true;
  }
  TakeRunResult Finish(Usage usage) const { return {account.Read(), usage}; }

  const std::span<const StockOp> ops;
  TakeAccount account{kItems, kOfEach};
  std::atomic<std::uint32_t> next_item = 0;
  std::atomic<bool> stop = false;
};

// Wishes, oldest first, each as the moment at which it was made. Never empty: there are at least as
// many as workers.
class WishQueue {
 public:
  explicit WishQueue(std::size_t wishes) : wishes_(wishes, Clock::now()) {}

  Clock::time_point Pop() {
    const MutexLock lock(mutex_);
    const auto wish = wishes_.front();
    wishes_.pop_front();
    return wish;
  }
  void Push() {
    const MutexLock lock(mutex_);
    wishes_.push_back(Clock::now());
  }

 private:
  Mutex mutex_;
  std::deque<Clock::time_point> wishes_ MINICHAT_GUARDED_BY(mutex_);
};

Status TakeOne(RunState& run, BlockingStock& stock, Clock::time_point wish) {
  const auto start = Clock::now();
  const std::uint32_t item = run.NextItem();
  std::uint64_t left = 0;
  for (const StockOp op : run.ops) {
    const auto answer = stock.Call({op, item});
    if (Status status = CheckAnswer(answer); !status.ok()) return status;
    left = answer.value().left;
  }
  const auto end = Clock::now();
  run.account.Taken(item, left, end - wish, end - start);
  return {};
}

void Work(RunState& run, BlockingStock& stock, WishQueue& wishes) {
  while (!run.stop) {
    const auto wish = wishes.Pop();
    if (const Status status = TakeOne(run, stock, wish); !status.ok()) return run.Fail(status);
    wishes.Push();
  }
}

// One caller of the asynchronous run.
//
// Threading: its steps run one after the other, on the transport's threads.
class Caller {
 public:
  Caller(RunState& run, AsyncStock& stock, OpenCount& open)
      : run_(run), stock_(stock), open_(open) {}

  void Wish() {
    if (run_.stop) return open_.OneEnded();
    start_ = Clock::now();
    item_ = run_.NextItem();
    call_ = 0;
    CallNext();
  }

 private:
  void CallNext() {
    stock_.Start({run_.ops[call_], item_},
                 [this](const Result<StockAnswer>& answer) { OnAnswer(answer); });
  }

  void OnAnswer(const Result<StockAnswer>& answer) {
    if (const Status status = CheckAnswer(answer); !status.ok()) {
      run_.Fail(status);
      return open_.OneEnded();
    }
    if (++call_ < run_.ops.size()) return CallNext();
    const auto took = Clock::now() - start_;
    run_.account.Taken(item_, answer.value().left, took, took);
    Wish();
  }

  RunState& run_;
  AsyncStock& stock_;
  OpenCount& open_;
  Clock::time_point start_;
  std::uint32_t item_ = 0;
  std::size_t call_ = 0;
};

Usage Measure(RunState& run, const Times& times, pid_t peer) {
  const Usage usage = MeasureStretch(
      times, peer, [&run] { run.account.BeginMeasuring(); },
      [&run] { run.account.EndMeasuring(); });
  run.stop = true;
  return usage;
}

}  // namespace

TakeRunResult RunWorkers(const Step& step, BlockingStock& stock, const Times& times, pid_t peer) {
  RunState run(step);
  WishQueue wishes(kCallers);
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < step.caller_workers; ++i) {
    workers.emplace_back([&] { Work(run, stock, wishes); });
  }
  const Usage usage = Measure(run, times, peer);
  workers.clear();
  return run.Finish(usage);
}

TakeRunResult RunAsync(const Step& step, AsyncStock& stock, const Times& times, pid_t peer) {
  RunState run(step);
  OpenCount open(kCallers);
  std::vector<Caller> callers(kCallers, Caller(run, stock, open));
  for (Caller& caller : callers) caller.Wish();
  const Usage usage = Measure(run, times, peer);
  open.WaitForAll();
  return run.Finish(usage);
}

}  // namespace minichat::transports
