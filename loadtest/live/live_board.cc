#include "loadtest/live/live_board.h"

#include <algorithm>

namespace minichat::loadtest {

LiveSettings LiveBoard::settings() const {
  const MutexLock lock(mutex_);
  return settings_;
}

Status LiveBoard::Change(std::string_view body) {
  const MutexLock lock(mutex_);
  const Result<LiveChange> change = ParseLiveChange(body, settings_, max_members_);
  if (!change.ok()) return change.status();
  settings_ = change->settings;
  if (!change->mode.empty()) {
    wanted_mode_ = change->mode;
    mode_error_.clear();
    changed_.notify_all();
  }
  return {};
}

void LiveBoard::SetFigures(ClusterFigures figures) {
  const MutexLock lock(mutex_);
  figures_ = std::move(figures);
}

void LiveBoard::AddSecond(const LoadSecond& second, const LiveCounts& counts,
                          const LiveLatency& latency) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const MutexLock lock(mutex_);
  counts_ = counts;
  latency_ = latency;
  seconds_.push_back({at, settings_, second, figures_});
  if (seconds_.size() > kSeconds) seconds_.pop_front();
}

LiveView LiveBoard::View(std::int64_t since_ms) const {
  const MutexLock lock(mutex_);
  const auto first = std::find_if(seconds_.begin(), seconds_.end(), [&](const LiveSecond& second) {
    return second.at_ms > since_ms;
  });
  return {settings_, mode_error_, counts_, latency_, {first, seconds_.end()}};
}

std::string LiveBoard::AwaitMode(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  MutexLock lock(mutex_);
  while (wanted_mode_.empty() && !closed_) {
    if (changed_.wait_until(lock, end) == std::cv_status::timeout) break;
  }
  return std::exchange(wanted_mode_, {});
}

void LiveBoard::SetModeError(const std::string& error) {
  const MutexLock lock(mutex_);
  mode_error_ = error;
}

void LiveBoard::Close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool LiveBoard::closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

}  // namespace minichat::loadtest
