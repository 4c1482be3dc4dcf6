#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "server/base/task.h"
#include "server/core/message.h"
#include "server/core/ports/client_link.h"
#include "server/core/session_owner.h"

namespace minichat::core {

// Lets joins, leaves and resumes of one session on one room run one after another.
//
// Threading: confined to the core scheduler's thread.
class RoomTurns {
 public:
  explicit RoomTurns(Scheduler& scheduler) : scheduler_(scheduler) {}

  // Waits for the room's turn; false: too many wait already.
  Task<bool> Enter(RoomId room) {
    auto [it, free] = waiting_.try_emplace(room);
    if (free) co_return true;
    if (it->second.size() >= kMaxWaiting) co_return false;
    Completion<bool> turn(scheduler_);
    it->second.push_back(turn);
    co_await turn.Wait();
    co_return true;
  }

  void Exit(const RoomId& room) {
    early_.erase(room);
    const auto it = waiting_.find(room);
    if (it->second.empty()) {
      waiting_.erase(it);
      return;
    }
    Completion<bool> next = it->second.front();
    it->second.erase(it->second.begin());
    next.Complete(true);
  }

  // An event of the room has come for a session that is still joining it: it lacks that one then.
  void NoteEarly(const RoomId& room, Seq seq) {
    Seq& latest = early_[room];
    latest = std::max(latest, seq);
  }
  Seq TakeEarly(const RoomId& room) {
    const auto it = early_.find(room);
    const Seq seq = it == early_.end() ? 0 : it->second;
    if (it != early_.end()) early_.erase(it);
    return seq;
  }

  bool busy(const RoomId& room) const { return waiting_.count(room) != 0; }

 private:
  static constexpr std::size_t kMaxWaiting = 16;

  Scheduler& scheduler_;
  std::map<RoomId, std::vector<Completion<bool>>> waiting_;
  std::map<RoomId, Seq> early_;  // only of rooms whose turn is taken
};

// One client's session on this node.
//
// Lifetime:  shared by the session table and the tasks that work for it; `open` says whether the
//            client is still there. Threading: confined to the core scheduler's thread.
struct Session {
  Session(SessionId session_id, SessionOwner owner, std::shared_ptr<ClientLink> client,
          Scheduler& scheduler)
      : id(std::move(session_id)),
        user(std::move(owner.user)),
        token_issued_at_ms(owner.token_issued_at_ms),
        link(std::move(client)),
        turns(scheduler) {}

  const SessionId id;
  const UserId user;
  std::optional<std::int64_t> token_issued_at_ms;
  std::shared_ptr<ClientLink> link;
  bool open = true;
  bool corked = false;  // a resume is under way: no event before its answer
  std::set<RoomId> rooms;
  RoomTurns turns;
};
using SessionPtr = std::shared_ptr<Session>;

}  // namespace minichat::core
