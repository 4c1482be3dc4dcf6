#include "loadtest/experiments/transports/bottleneck.h"

#include <algorithm>

#include "loadtest/experiments/transports/words.h"

namespace minichat::transports {
namespace {

// From this share on something counts as full: what is left goes into switching between threads.
constexpr double kFull = 0.85;
// Below this share of CPU a worker that is always held waits rather than computes.
constexpr double kComputes = 0.6;

double Both(const BottleneckInput& input) {
  return input.caller_cpu + input.stock_cpu;
}

// Threads that can use a core each.
double Width(std::size_t workers, std::size_t threads, double cores) {
  const std::size_t fixed = workers > 0 ? workers : threads;
  return fixed > 0 ? std::min(static_cast<double>(fixed), cores) : cores;
}

double StockWidth(const BottleneckInput& input) {
  return Width(input.stock_workers, input.stock_threads, input.cores);
}

double CallerWidth(const BottleneckInput& input) {
  return Width(input.caller_workers, input.caller_threads, input.cores);
}

// With as many workers on both sides, one take at a time is all that each pair ever sees.
bool OffersMoreThanTheStockTakes(const BottleneckInput& input) {
  return input.stock_workers > 0 &&
         (input.caller_workers == 0 || input.caller_workers > input.stock_workers);
}

std::string StockWorkers(const BottleneckInput& input) {
  return input.stock_workers > 0 ? "the stock's " + Counted(input.stock_workers, "worker")
                                 : "the asynchronous stock";
}

std::string CallerWorkers(const BottleneckInput& input) {
  return input.caller_workers > 0 ? "the caller's " + Counted(input.caller_workers, "worker")
                                  : "the asynchronous caller";
}

std::string BothSides(const BottleneckInput& input) {
  return "caller " + Percent(input.caller_cpu) + ", stock " + Percent(input.stock_cpu) +
         " of a core";
}

// What of the time is the store's, where the stock has workers to be held by it.
std::string StoresPart(const BottleneckInput& input) {
  if (input.stock_workers == 0) return {};
  return " (the stock's workers are held for " + Percent(input.stock_held) + " of the time)";
}

}  // namespace

Bottleneck FindBottleneck(const BottleneckInput& input) {
  if (Both(input) >= kFull * input.cores) return Bottleneck::kMachine;
  if (input.stock_cpu >= kFull * StockWidth(input)) return Bottleneck::kStockCpu;
  if (OffersMoreThanTheStockTakes(input) && input.stock_held >= kFull) {
    return input.stock_cpu >= kComputes * StockWidth(input) ? Bottleneck::kStockCpu
                                                            : Bottleneck::kStockWaiting;
  }
  if (input.caller_cpu >= kFull * CallerWidth(input)) return Bottleneck::kCallerCpu;
  // Most of the time is the store's, however busy the machine is.
  if (input.caller_workers > 0 && input.stock_workers > 0 && input.stock_held >= kComputes) {
    return Bottleneck::kCallerWaiting;
  }
  // Where callers and workers are many, they share the machine with whatever else runs on it.
  if (input.machine_busy >= 0.97 && Both(input) < kComputes * input.cores) {
    return Bottleneck::kOthers;
  }
  return input.caller_workers > 0 ? Bottleneck::kCallerWaiting : Bottleneck::kNobody;
}

std::string DescribeBottleneck(const BottleneckInput& input) {
  switch (FindBottleneck(input)) {
    case Bottleneck::kMachine:
      return "The machine's CPU: " + BothSides(input) + ", of " + Rounded(input.cores) +
             " cores; the " + (input.stock_cpu > input.caller_cpu ? "stock" : "caller") +
             " uses more.";
    case Bottleneck::kOthers:
      return "Other programs: the machine is " + Percent(input.machine_busy) +
             " busy, these two (" + BothSides(input) + ") with the smaller part.";
    case Bottleneck::kStockCpu:
      return "CPU of " + StockWorkers(input) + ": " + Percent(input.stock_cpu) +
             " of a core, and no more threads to use.";
    case Bottleneck::kStockWaiting:
      return "Waiting in " + StockWorkers(input) + ": held by the store for " +
             Percent(input.stock_held) + " of the time, computing for " +
             Percent(input.stock_cpu / StockWidth(input)) + ".";
    case Bottleneck::kCallerCpu:
      return "CPU of " + CallerWorkers(input) + ": " + Percent(input.caller_cpu) +
             " of a core, and no more threads to use.";
    case Bottleneck::kCallerWaiting:
      return "Waiting in " + CallerWorkers(input) +
             ": each is held by one take until it has ended" + StoresPart(input) +
             "; CPU of no side is full (" + BothSides(input) + ").";
    case Bottleneck::kNobody:
      return "Nobody: all takes are under way at once, and CPU of no side is full (" +
             BothSides(input) + ").";
  }
  return {};
}

}  // namespace minichat::transports
