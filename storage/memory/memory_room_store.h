#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "server/base/scheduler.h"
#include "server/core/ports/room_store.h"

namespace minichat::memory {

// The private rooms of a single process, lost at its end; answers in the next turn.
//
// Lifetime:  as RoomStore.
// Threading: confined to the scheduler's thread.
// Errors:    none.
class MemoryRoomStore final : public core::RoomStore {
 public:
  explicit MemoryRoomStore(Scheduler& scheduler) : scheduler_(scheduler) {}

  void CreateRoom(const core::RoomId& room, std::vector<core::UserId> members, Deadline deadline,
                  Callback<Result<bool>> done) override;
  void AddMember(const core::RoomId& room, const core::UserId& user, Deadline deadline,
                 Callback<Result<core::MemberChange>> done) override;
  void RemoveMember(const core::RoomId& room, const core::UserId& user, Deadline deadline,
                    Callback<Result<core::MemberChange>> done) override;
  void StandingOf(const core::RoomId& room, const core::UserId& user, Deadline deadline,
                  Callback<Result<core::Standing>> done) override;
  void Members(const core::MembersRequest& request, Deadline deadline,
               Callback<Result<core::MembersPage>> done) override;
  void Revoke(const core::Revocation& revocation, Deadline deadline,
              Callback<Status> done) override;
  void Revocations(std::int64_t since_ms, Deadline deadline,
                   Callback<Result<std::vector<core::Revocation>>> done) override;

 private:
  using MemberSet = std::set<core::UserId>;

  template <class T, class Value>
  void Answer(Callback<T> done, Value value) {
    scheduler_.Post([done = std::move(done), value = std::move(value)] { done(value); });
  }
  // Null: no such room.
  MemberSet* Find(const core::RoomId& room);

  Scheduler& scheduler_;
  std::map<core::RoomId, MemberSet> rooms_;
  std::map<core::UserId, std::int64_t> revoked_before_ms_;
};

}  // namespace minichat::memory
