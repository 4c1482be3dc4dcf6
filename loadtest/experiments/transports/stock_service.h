#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "loadtest/experiments/transports/stock.h"
#include "server/base/scheduler.h"
#include "server/base/task.h"

namespace minichat::transports {

// The stock behind a store that needs some time for each query, as a database does. Whoever waits
// for it either holds a thread meanwhile or doesn't: that is all that the experiment's blocking and
// asynchronous services differ in.
//
// Lifetime:  Start() callbacks may come until its end.
// Threading: thread-safe. Without a store time, callbacks run inside Start(); else on its own
//            thread.
class StockService {
 public:
  StockService(Stock& stock, Duration store_time);
  ~StockService();

  // Holds the calling thread.
  StockAnswer Handle(const StockQuery& query);
  void Start(const StockQuery& query, Callback<StockAnswer> done);

  // How long threads were held by Handle().
  double held_seconds() const;

 private:
  struct Timers;

  Stock& stock_;
  const Duration store_time_;
  std::unique_ptr<Timers> timers_;  // null without a store time
  std::atomic<std::int64_t> held_ns_ = 0;
};

}  // namespace minichat::transports
