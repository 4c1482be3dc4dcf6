#include "loadtest/client/client_loop.h"

#include <algorithm>
#include <array>
#include <ctime>

#include <sys/epoll.h>

#include "server/base/check.h"

namespace minichat::loadtest {
namespace {

using std::chrono::nanoseconds;
constexpr std::size_t kEventsPerTurn = 256;

timespec ToTimespec(Clock::duration wait) {
  const auto ns =
      std::max<nanoseconds::rep>(0, std::chrono::duration_cast<nanoseconds>(wait).count());
  timespec spec{};
  spec.tv_sec = ns / 1'000'000'000;
  spec.tv_nsec = ns % 1'000'000'000;
  return spec;
}

}  // namespace

ClientLoop::ClientLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  CHECK(epoll_.valid());  // no descriptor left for a program that has only begun
}

ClientLoop::TimerId ClientLoop::At(Clock::time_point when, std::function<void()> work) {
  const TimerId id{when, next_++};
  timers_.emplace(id, std::move(work));
  return id;
}

void ClientLoop::Watch(int fd, std::uint32_t epoll_events, FdHandler* handler) {
  const std::uint64_t token = next_++;
  tokens_[fd] = token;
  handlers_[token] = handler;
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = token;
  CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
}

void ClientLoop::Change(int fd, std::uint32_t epoll_events) {
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = tokens_.at(fd);
  CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0);
}

void ClientLoop::Unwatch(int fd) {
  const auto it = tokens_.find(fd);
  if (it == tokens_.end()) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  handlers_.erase(it->second);
  tokens_.erase(it);
}

bool ClientLoop::RunUntil(const std::function<bool()>& done, Clock::duration limit,
                          Clock::duration interval) {
  const Clock::time_point end = Clock::now() + limit;
  Clock::time_point next_check = Clock::now();
  for (;;) {
    const Clock::time_point now = Clock::now();
    if (now >= next_check) {
      if (done()) return true;
      next_check = Clock::now() + interval;
    }
    if (now >= end) return done();
    Turn(std::min(end, next_check));
  }
}

void ClientLoop::Turn(Clock::time_point until) {
  if (!timers_.empty()) until = std::min(until, timers_.begin()->first.first);
  std::array<epoll_event, kEventsPerTurn> events{};
  const timespec wait = ToTimespec(until - Clock::now());
  const int ready = epoll_pwait2(epoll_.get(), events.data(), kEventsPerTurn, &wait, nullptr);
  for (int i = 0; i < ready; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const auto it = handlers_.find(event.data.u64);
    if (it != handlers_.end()) it->second->OnReady(event.events);
  }
  RunTimers();
}

void ClientLoop::RunTimers() {
  const Clock::time_point now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const std::function<void()> work = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    work();
  }
}

}  // namespace minichat::loadtest
