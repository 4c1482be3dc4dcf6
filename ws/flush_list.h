#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace minichat::ws {

// Something that has gathered work for the end of the turn.
class Flushable {
 public:
  virtual ~Flushable() = default;
  virtual void OnTurnEnd() = 0;
};

// What an I/O thread's connections have to write at the end of this turn of its event loop: behind
// all handlers that were ready when the turn began, in one handler for all of them. No timer: what
// a turn produced leaves with it.
//
// Lifetime:  outlives the io_context's last turn.
// Threading: confined to the thread that runs the io_context.
class FlushList {
 public:
  using Clock = std::chrono::steady_clock;

  explicit FlushList(boost::asio::io_context& io) : io_(io) {}
  FlushList(const FlushList&) = delete;
  FlushList& operator=(const FlushList&) = delete;

  // The turn's time: the clock is read once for all that is written in it.
  Clock::time_point Now();
  void Add(std::shared_ptr<Flushable> one);

 private:
  void PostFlush();
  void Flush();

  boost::asio::io_context& io_;
  std::vector<std::shared_ptr<Flushable>> waiting_;
  std::vector<std::shared_ptr<Flushable>> flushing_;  // empty between flushes; keeps its memory
  Clock::time_point now_{};
  bool has_now_ = false;
  bool posted_ = false;  // the end of this turn
};

}  // namespace minichat::ws
