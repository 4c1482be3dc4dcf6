#include "loadtest/experiments/transports/stock_service.h"

#include <chrono>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "server/base/asio_scheduler.h"

namespace minichat::transports {

using Clock = std::chrono::steady_clock;

struct StockService::Timers {
  Timers() : scheduler(io), guard(io.get_executor()), thread([this] { io.run(); }) {}
  ~Timers() { io.stop(); }

  boost::asio::io_context io{1};
  AsioScheduler scheduler;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard;
  std::jthread thread;
};

StockService::StockService(Stock& stock, Duration store_time)
    : stock_(stock),
      store_time_(store_time),
      timers_(store_time > Duration::zero() ? std::make_unique<Timers>() : nullptr) {}

StockService::~StockService() = default;

StockAnswer StockService::Handle(const StockQuery& query) {
  const auto start = Clock::now();
  if (timers_ != nullptr) std::this_thread::sleep_for(store_time_);  // the store at work
  const StockAnswer answer = stock_.Handle(query);
  held_ns_ += std::chrono::nanoseconds(Clock::now() - start).count();
  return answer;
}

void StockService::Start(const StockQuery& query, Callback<StockAnswer> done) {
  if (timers_ == nullptr) return done(stock_.Handle(query));
  timers_->scheduler.Post([this, query, done = std::move(done)]() mutable {
    timers_->scheduler.RunAfter(
        store_time_, [this, query, done = std::move(done)] { done(stock_.Handle(query)); });
  });
}

double StockService::held_seconds() const {
  return static_cast<double>(held_ns_.load()) / 1e9;
}

}  // namespace minichat::transports
