#include "ws/session_expiry.h"

namespace minichat::ws {

void SessionExpiry::Add(std::int64_t until_ms, const std::shared_ptr<Expiring>& session) {
  sessions_.emplace(std::pair(until_ms, session.get()), session);
  if (!scheduled_) Schedule(tick_);
}

void SessionExpiry::Remove(std::int64_t until_ms, const Expiring* session) {
  sessions_.erase({until_ms, session});
}

void SessionExpiry::Schedule(Duration delay) {
  scheduled_ = true;
  core_.RunAfter(delay, [this] { Look(); });
}

void SessionExpiry::Look() {
  scheduled_ = false;
  const std::int64_t now = core_.WallMillis();
  const auto due = [&] { return !sessions_.empty() && sessions_.begin()->first.first <= now; };
  for (int i = 0; i < kMaxPerTurn && due(); ++i) {
    const auto session = sessions_.begin()->second.lock();
    sessions_.erase(sessions_.begin());
    if (session) session->OnTokenExpired();
  }
  if (!sessions_.empty()) Schedule(due() ? Duration(0) : Duration(tick_));
}

}  // namespace minichat::ws
