#pragma once

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace minichat::app {

// The I/O threads: one io_context each. The first runs on the thread that calls Run() and is the
// core's.
//
// Lifetime:  what was posted and has not run when Run() returned is dropped at destruction.
// Threading: Run() once, from one thread; Stop() from any.
class IoThreads {
 public:
  explicit IoThreads(std::size_t count);

  boost::asio::io_context& first() { return *contexts_.front(); }
  std::vector<boost::asio::io_context*> all() const;

  // Until Stop().
  void Run();
  void Stop();

 private:
  using Guard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

  std::vector<std::unique_ptr<boost::asio::io_context>> contexts_;
  std::vector<Guard> guards_;
};

}  // namespace minichat::app
