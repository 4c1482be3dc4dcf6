#include "loadtest/experiments/overload/pool_run.h"

#include <atomic>
#include <thread>

#include "loadtest/experiments/chain/hop_client.h"
#include "loadtest/experiments/chain/hop_process.h"

namespace minichat::lab {
namespace {

constexpr std::chrono::minutes kRequestLimit{10};  // none of the conditions takes so long
constexpr std::chrono::milliseconds kAskEvery{100};
constexpr int kOk = 0;
constexpr int kDeadlineExceeded = 4;
constexpr int kUnavailable = 14;

// Each caller sends until all requests are sent; returns when every one is answered.
void SendAll(const PoolCondition& condition, HopClient& client, CallGatherer& results) {
  std::atomic<std::uint32_t> sent = 0;
  std::vector<std::jthread> callers;
  for (std::size_t i = 0; i < condition.at_once; ++i) {
    callers.emplace_back([&] {
      for (std::uint32_t number = ++sent; number <= condition.requests; number = ++sent) {
        const std::size_t call = results.Started();
        results.Ended(call, client.OrderAndWait(number, kRequestLimit));
      }
    });
  }
}

// One question after the other, until it is told to stop.
void KeepAsking(const std::stop_token& stop, HopClient& client, TimePoint start,
                CallGatherer& answers) {
  while (!stop.stop_requested()) {
    const std::size_t call = answers.Started();
    const auto view = client.View(start, kRequestLimit);
    answers.Ended(call, view.ok() ? kOk : kUnavailable);
    std::this_thread::sleep_for(kAskEvery);
  }
}

Status CheckReached(const std::vector<CallResult>& calls) {
  for (const CallResult& call : calls) {
    if (call.code == kUnavailable || call.code == kDeadlineExceeded) {
      return Unavailable("overload: the service could not be reached");
    }
  }
  return {};
}

}  // namespace

std::vector<double> PoolResult::Took(int code) const {
  std::vector<double> took;
  for (const CallResult& request : requests) {
    if (request.code == code) took.push_back(request.took_ms);
  }
  return took;
}

std::vector<double> PoolResult::TookAll() const {
  std::vector<double> took;
  for (const CallResult& request : requests) took.push_back(request.took_ms);
  return took;
}

Result<PoolResult> RunPool(const PoolCondition& condition, const std::filesystem::path& dir) {
  const auto logs = dir / "logs";
  std::filesystem::create_directories(logs);
  HopProcess service(condition.service);
  if (const Status s = service.Start(logs); !s.ok()) return s;
  HopClient client(service.address());
  HopClient asker(service.address());
  // Questions, not Pings: no worker has started yet when the first request comes, so the first ones
  // go to new workers and exactly as many as there are places are queued.
  if (!client.View(Now()).ok() || !asker.View(Now()).ok()) {
    return Unavailable("overload: the service does not answer");
  }

  PoolResult result;
  result.condition = condition;
  const TimePoint start = Now();
  CallGatherer requests(start);
  CallGatherer questions(start);
  {
    const std::jthread asking(
        [&](const std::stop_token& stop) { KeepAsking(stop, asker, start, questions); });
    SendAll(condition, client, requests);
    result.seconds = std::chrono::duration<double>(Now() - start).count();
  }
  result.requests = requests.Results();
  result.questions = questions.Results();
  // Where gRPC's threads do the work themselves, calls have failed on their way (probably for want
  // of a thread that reads): that belongs to the result.
  if (condition.service.overflow == Overflow::kCallerRuns) return result;
  for (const Status& s : {CheckReached(result.requests), CheckReached(result.questions)}) {
    if (!s.ok()) return s;
  }
  return result;
}

}  // namespace minichat::lab
