#include "loadtest/experiments/transports/relay_run.h"

#include <atomic>

#include "loadtest/experiments/transports/open_count.h"
#include "loadtest/experiments/transports/relay_account.h"
#include "loadtest/load/latency_histogram.h"

namespace minichat::transports {
namespace {

using Clock = std::chrono::steady_clock;

// Threading: Next() from any thread, for one chain of messages at a time each.
class Loop {
 public:
  Loop(RelaySending& sending, std::size_t in_flight) : sending_(sending), open_(in_flight) {}

  void Next() {
    if (stop_) return open_.OneEnded();
    const auto start = Clock::now();
    sending_.Send(++sent_, [this, start](std::size_t queued) {
      Ended(queued, Clock::now() - start);
      Next();
    });
  }

  void SetMeasuring(bool measuring) {
    const MutexLock lock(mutex_);
    measuring_ = measuring;
  }
  void Stop() {
    stop_ = true;
    open_.WaitForAll();
  }

  RelayRunResult Read(const Usage& usage) {
    const MutexLock lock(mutex_);
    return {sent_,
            latency_.count(),
            incomplete_,
            latency_.AtMs(0.50),
            latency_.AtMs(0.95),
            latency_.AtMs(0.99),
            usage};
  }

 private:
  void Ended(std::size_t queued, Clock::duration latency) {
    const MutexLock lock(mutex_);
    if (queued != kRecipients) {
      ++incomplete_;
      stop_ = true;
    } else if (measuring_) {
      latency_.Add(latency);
    }
  }

  RelaySending& sending_;
  OpenCount open_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> sent_ = 0;
  Mutex mutex_;
  bool measuring_ MINICHAT_GUARDED_BY(mutex_) = false;
  std::uint64_t incomplete_ MINICHAT_GUARDED_BY(mutex_) = 0;
  loadtest::LatencyHistogram latency_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace

RelayRunResult RunRelay(RelaySending& sending, std::size_t in_flight, const Times& times,
                        pid_t peer) {
  Loop loop(sending, in_flight);
  for (std::size_t i = 0; i < in_flight; ++i) loop.Next();
  const Usage usage = MeasureStretch(
      times, peer, [&loop] { loop.SetMeasuring(true); }, [&loop] { loop.SetMeasuring(false); });
  loop.Stop();
  return loop.Read(usage);
}

}  // namespace minichat::transports
