#include "loadtest/experiments/transports/step.h"

namespace minichat::transports {

const std::vector<Step>& AllSteps() {
  static const std::vector<Step> kSteps = {
      {.name = "http_per_call",
       .title = "HTTP, a connection per call, 1 + 1 workers",
       .original = "46 requests/s at 86 % CPU",
       .transport = Transport::kHttpPerCall,
       .caller_workers = 1,
       .stock_workers = 1},
      {.name = "http_pool",
       .title = "HTTP, kept alive, 1 + 1 workers",
       .original = "no gain",
       .transport = Transport::kHttpPool,
       .caller_workers = 1,
       .stock_workers = 1},
      {.name = "grpc",
       .title = "gRPC, one channel, 1 + 1 workers",
       .original = "2.7 times the first",
       .caller_workers = 1,
       .stock_workers = 1},
      {.name = "grpc_2",
       .title = "gRPC, 2 + 2 workers",
       .original = "more, at 100 and 120 % CPU",
       .caller_workers = 2,
       .stock_workers = 2},
      {.name = "grpc_async_caller",
       .title = "gRPC, asynchronous caller, 2 workers in the stock",
       .original = "22 % more; the rewritten side's CPU from 120 to 20 %",
       .stock_workers = 2},
      {.name = "grpc_async_stock",
       .title = "gRPC, 2 workers in the caller, asynchronous stock",
       .original = "not told apart from the step before",
       .caller_workers = 2},
      {.name = "grpc_async",
       .title = "gRPC, both sides asynchronous",
       .original = "6.4 times the first; p95 from 154 to 20 ms; 15 and 16 % CPU"},
      {.name = "http_threads",
       .title = "HTTP, kept alive, a thread for each of the callers, 2 workers in the stock",
       .transport = Transport::kHttpPool,
       .caller_workers = 50,
       .stock_workers = 2},
      {.name = "http_async",
       .title = "HTTP, kept alive, both sides asynchronous on one thread each",
       .transport = Transport::kHttpPool},
      {.name = "grpc_async_take",
       .title = "gRPC, both sides asynchronous, one call instead of three",
       .one_call = true},
  };
  return kSteps;
}

const Step* FindStep(std::string_view name) {
  for (const Step& step : AllSteps()) {
    if (step.name == name) return &step;
  }
  return nullptr;
}

std::size_t CallsPerTake(const Step& step) {
  return step.one_call ? 1 : 3;
}

}  // namespace minichat::transports
