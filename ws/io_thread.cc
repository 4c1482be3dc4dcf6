#include "ws/io_thread.h"

#include <utility>
#include <vector>

namespace minichat::ws {

IoThread::~IoThread() {
  ForEach([](Tended& connection) { connection.Abandon(); });
}

void IoThread::Add(const std::shared_ptr<Tended>& connection) {
  connections_.emplace(connection.get(), connection);
  if (!ticking_) ArmTick();
}

void IoThread::Remove(Tended* connection, bool gone) {
  connections_.erase(connection);
  if (connections_.empty()) timer_.cancel();
  if (gone) CountGone(connection->peer());
}

void IoThread::CountGone(const PeerKey& peer) {
  context_->limits.Leave(peer, ConnectionLimits::Clock::now());
  context_->metrics->connections.Decrement();
  if (--context_->connections == 0 && context_->leaving) {
    context_->core.Post([context = context_] {
      if (context->on_empty) context->on_empty();
    });
  }
}

void IoThread::LeaveAll() {
  ForEach([](Tended& connection) { connection.Leave(); });
}

void IoThread::CutAll() {
  ForEach([](Tended& connection) { connection.Cut(); });
}

void IoThread::RunOnCore(Scheduler::Work work) {
  if (index_ == 0) {
    work();
  } else {
    context_->core.Post(std::move(work));
  }
}

// A visit may add and remove connections.
void IoThread::ForEach(const std::function<void(Tended&)>& visit) {
  std::vector<std::shared_ptr<Tended>> all;
  all.reserve(connections_.size());
  for (const auto& [pointer, weak] : connections_) {
    if (auto connection = weak.lock()) all.push_back(std::move(connection));
  }
  for (const auto& connection : all) visit(*connection);
}

void IoThread::ArmTick() {
  ticking_ = true;
  timer_.expires_after(context_->options.tick);
  timer_.async_wait([this](const boost::system::error_code&) {
    ticking_ = false;
    const auto now = std::chrono::steady_clock::now();
    ForEach([now](Tended& connection) { connection.OnTick(now); });
    if (!connections_.empty()) ArmTick();
  });
}

}  // namespace minichat::ws
