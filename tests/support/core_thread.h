#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "server/base/asio_scheduler.h"
#include "server/base/deadline.h"
#include "server/base/metrics.h"

namespace minichat::tests {

// Longer than anything in a test takes: only a failing one waits so long.
inline constexpr Duration kPatience = std::chrono::seconds(30);

// A core thread of its own, as a node has one.
class CoreThread {
 public:
  CoreThread() : scheduler(io_), guard_(io_.get_executor()), thread_([this] { io_.run(); }) {}
  ~CoreThread() {
    guard_.reset();
    io_.stop();
  }

  // Runs `work` on the thread and waits for it.
  void Run(const std::function<void()>& work) {
    std::promise<void> done;
    scheduler.Post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

  // Looks at `condition` on the thread, every millisecond, until it holds.
  bool WaitFor(std::function<bool()> condition, Duration limit = kPatience) {
    auto result = std::make_shared<std::promise<bool>>();
    auto held = result->get_future();
    const Deadline deadline = Deadline::After(scheduler, limit);
    scheduler.Post([this, condition, deadline, result] { Look(condition, deadline, result); });
    return held.get();
  }

 private:
  void Look(const std::function<bool()>& condition, Deadline deadline,
            const std::shared_ptr<std::promise<bool>>& result) {
    const bool holds = condition();
    if (holds || deadline.Passed(scheduler.Now())) return result->set_value(holds);
    scheduler.RunAfter(std::chrono::milliseconds(1),
                       [this, condition, deadline, result] { Look(condition, deadline, result); });
  }

  boost::asio::io_context io_{1};

 public:
  AsioScheduler scheduler;

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::jthread thread_;
};

// The value of one series as it is scraped, 0 when there is none: `name{label="value"}`, labels in
// alphabetical order.
inline double MetricValue(MetricsRegistry& metrics, const std::string& series) {
  std::istringstream lines(metrics.Serialize());
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(series + " ", 0) == 0) return std::stod(line.substr(series.size() + 1));
  }
  return 0;
}

}  // namespace minichat::tests
