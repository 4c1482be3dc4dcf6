#pragma once

#include <cstddef>
#include <string>

namespace minichat::transports {

// What decides where a step's bottleneck sits.
struct BottleneckInput {
  std::size_t caller_workers = 0;  // 0: asynchronous
  std::size_t stock_workers = 0;
  std::size_t stock_threads = 0;  // of an asynchronous stock; 0: as many as there are cores
  std::size_t caller_threads = 0;
  double caller_cpu = 0;  // in cores
  double stock_cpu = 0;
  double stock_held = 0;  // share of the time for which the stock's workers were held by a query
  double machine_busy = 0;
  double cores = 0;
};

enum class Bottleneck {
  kMachine,        // both sides together use what the machine has
  kOthers,         // the machine is full, but not with these two
  kStockCpu,       // the stock's threads compute all the time
  kStockWaiting,   // the stock's workers are held all the time, by waiting for the store
  kCallerCpu,      // the caller's threads compute all the time
  kCallerWaiting,  // the caller's workers wait for answers, one after the other
  kNobody,         // all takes are under way; they take as long as they take
};

Bottleneck FindBottleneck(const BottleneckInput& input);

// The same as a sentence with the figures that it follows from.
std::string DescribeBottleneck(const BottleneckInput& input);

}  // namespace minichat::transports
