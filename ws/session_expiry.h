#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "server/base/scheduler.h"

namespace minichat::ws {

// A session that lives as long as its token.
class Expiring {
 public:
  virtual ~Expiring() = default;
  // Its time is over, and SessionExpiry has forgotten it.
  virtual void OnTokenExpired() = 0;
};

// Ends sessions whose token has run out. One timer looks at them all, by the wall clock, so that a
// clock that is set right takes effect and an idle session costs no timer of its own.
//
// Lifetime:  outlives the scheduler's last turn; holds no session alive.
// Threading: confined to the core's thread.
// Limits:    a session ends at most one tick late; ends kMaxPerTurn in one turn of the loop.
class SessionExpiry {
 public:
  static constexpr int kMaxPerTurn = 100;

  SessionExpiry(Scheduler& core, std::chrono::milliseconds tick) : core_(core), tick_(tick) {}

  void Add(std::int64_t until_ms, const std::shared_ptr<Expiring>& session);
  // With the time that it was added with; one that isn't there is ignored.
  void Remove(std::int64_t until_ms, const Expiring* session);

 private:
  void Schedule(Duration delay);
  void Look();

  Scheduler& core_;
  const std::chrono::milliseconds tick_;
  std::map<std::pair<std::int64_t, const Expiring*>, std::weak_ptr<Expiring>> sessions_;
  bool scheduled_ = false;
};

}  // namespace minichat::ws
