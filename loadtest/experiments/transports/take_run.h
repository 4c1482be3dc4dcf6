#pragma once

#include <cstddef>
#include <cstdint>

#include "loadtest/experiments/transports/step.h"
#include "loadtest/experiments/transports/stock_client.h"
#include "loadtest/experiments/transports/stretch.h"
#include "loadtest/experiments/transports/take_account.h"

namespace minichat::transports {

// What the stock starts with.
inline constexpr std::size_t kItems = 100;
inline constexpr std::uint64_t kOfEach = 10'000'000;  // more than any run takes
inline constexpr std::size_t kCallers = 50;

struct TakeRunResult {
  TakeAccount::Figures takes;
  Usage usage;
};

// The caller service: `kCallers` callers, each of whom wants one item, waits until it is taken, and
// wants the next at once (a closed loop). Blocking: wishes wait in one queue for the step's
// workers. Asynchronous: all are under way at once. The first failure ends the run.
//
// Threading: hold the calling thread until the run is over and every take has ended.
TakeRunResult RunWorkers(const Step& step, BlockingStock& stock, const Times& times, pid_t peer);
TakeRunResult RunAsync(const Step& step, AsyncStock& stock, const Times& times, pid_t peer);

}  // namespace minichat::transports
