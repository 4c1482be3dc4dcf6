#pragma once

#include <memory>

#include <boost/asio/io_context.hpp>

#include "server/base/scheduler.h"

namespace minichat {

// A Scheduler on an io_context that one thread runs.
//
// Lifetime:  as Scheduler; the io_context must outlive it.
// Threading: as Scheduler; the io_context is run by exactly one thread.
class AsioScheduler final : public Scheduler {
 public:
  explicit AsioScheduler(boost::asio::io_context& io);
  ~AsioScheduler() override;

  TimePoint Now() const override;
  TimePoint BootNow() const override;
  std::int64_t WallMillis() const override;
  void Post(Work work) override;
  TimerId RunAfter(Duration delay, Work work) override;
  void Cancel(TimerId id) override;
  std::uint64_t Random() override;

  boost::asio::io_context& io() { return io_; }

 private:
  struct Timers;
  boost::asio::io_context& io_;
  std::unique_ptr<Timers> timers_;
};

}  // namespace minichat
