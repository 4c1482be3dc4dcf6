#include "ws/flush_list.h"

#include <utility>

#include <boost/asio/post.hpp>

namespace minichat::ws {

FlushList::Clock::time_point FlushList::Now() {
  if (!has_now_) {
    has_now_ = true;
    now_ = Clock::now();
    PostFlush();
  }
  return now_;
}

void FlushList::Add(std::shared_ptr<Flushable> one) {
  waiting_.push_back(std::move(one));
  PostFlush();
}

// Posted to one's own thread, it comes behind what is ready, and wakes nobody.
void FlushList::PostFlush() {
  if (std::exchange(posted_, true)) return;
  boost::asio::post(io_, [this] { Flush(); });
}

void FlushList::Flush() {
  posted_ = false;
  flushing_.swap(waiting_);
  // A flush may add to the next turn.
  for (const auto& one : flushing_) one->OnTurnEnd();
  flushing_.clear();
  has_now_ = false;
}

}  // namespace minichat::ws
