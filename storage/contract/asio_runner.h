#pragma once

#include <chrono>
#include <functional>

#include <boost/asio/io_context.hpp>

#include "server/base/asio_scheduler.h"

namespace minichat::contract {

// A real-time scheduler that the test's own thread runs while it waits for something.
//
// Threading: confined to the test's thread.
class AsioRunner {
 public:
  Scheduler& scheduler() { return scheduler_; }

  bool RunUntil(const std::function<bool()>& condition,
                std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io_.restart();
      io_.run_one_for(kLook);  // a condition may change without work for this scheduler
    }
    return true;
  }

 private:
  static constexpr std::chrono::milliseconds kLook{5};

  boost::asio::io_context io_{1};
  AsioScheduler scheduler_{io_};
};

}  // namespace minichat::contract
