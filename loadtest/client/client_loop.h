#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "loadtest/client/endpoint.h"

namespace minichat::loadtest {

// Every latency is taken from this one clock, in one process.
using Clock = std::chrono::steady_clock;

// What a ClientLoop calls when a descriptor is ready.
class FdHandler {
 public:
  virtual ~FdHandler() = default;
  virtual void OnReady(std::uint32_t epoll_events) = 0;
};

// One thread's epoll loop for many client connections, with timers. It runs only inside
// RunUntil(), on the caller's thread, so that a test or a load run needs no locks.
//
// Lifetime:  outlives its connections.
// Threading: confined to one thread.
// Errors:    RunUntil() is false when the limit came first.
class ClientLoop {
 public:
  using TimerId = std::pair<Clock::time_point, std::uint64_t>;

  ClientLoop();
  ClientLoop(const ClientLoop&) = delete;
  ClientLoop& operator=(const ClientLoop&) = delete;

  TimerId At(Clock::time_point when, std::function<void()> work);
  // A fired timer is ignored.
  void Cancel(const TimerId& id) { timers_.erase(id); }

  // Runs until `done()`, which is asked after each turn but at most every `interval`.
  bool RunUntil(const std::function<bool()>& done, Clock::duration limit,
                Clock::duration interval = std::chrono::milliseconds(1));
  void RunFor(Clock::duration time) {
    RunUntil([] { return false; }, time);
  }

  void Watch(int fd, std::uint32_t epoll_events, FdHandler* handler);
  void Change(int fd, std::uint32_t epoll_events);
  // After this the handler is not called again, not even for events that were already read.
  void Unwatch(int fd);

 private:
  void Turn(Clock::time_point until);
  void RunTimers();

  Fd epoll_;
  std::map<TimerId, std::function<void()>> timers_;
  std::unordered_map<int, std::uint64_t> tokens_;  // a descriptor's number is used again: tokens
  std::unordered_map<std::uint64_t, FdHandler*> handlers_;  // are not
  std::uint64_t next_ = 1;
};

}  // namespace minichat::loadtest
