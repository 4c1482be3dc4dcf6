#include "storage/memory/memory_room_store.h"

#include <algorithm>

namespace minichat::memory {

using core::MemberChange;
using core::RoomId;
using core::Standing;
using core::UserId;

MemoryRoomStore::MemberSet* MemoryRoomStore::Find(const RoomId& room) {
  const auto it = rooms_.find(room);
  return it == rooms_.end() ? nullptr : &it->second;
}

void MemoryRoomStore::CreateRoom(const RoomId& room, std::vector<UserId> members, Deadline,
                                 Callback<Result<bool>> done) {
  const bool made = rooms_.try_emplace(room, members.begin(), members.end()).second;
  Answer(std::move(done), made);
}

void MemoryRoomStore::AddMember(const RoomId& room, const UserId& user, Deadline,
                                Callback<Result<MemberChange>> done) {
  MemberChange change = MemberChange::kNoRoom;
  if (MemberSet* members = Find(room)) {
    change = members->insert(user).second ? MemberChange::kChanged : MemberChange::kUnchanged;
  }
  Answer(std::move(done), change);
}

void MemoryRoomStore::RemoveMember(const RoomId& room, const UserId& user, Deadline,
                                   Callback<Result<MemberChange>> done) {
  MemberChange change = MemberChange::kNoRoom;
  if (MemberSet* members = Find(room)) {
    change = members->erase(user) != 0 ? MemberChange::kChanged : MemberChange::kUnchanged;
  }
  Answer(std::move(done), change);
}

void MemoryRoomStore::StandingOf(const RoomId& room, const UserId& user, Deadline,
                                 Callback<Result<Standing>> done) {
  Standing standing = Standing::kNoRoom;
  if (const MemberSet* members = Find(room)) {
    standing = members->count(user) != 0 ? Standing::kMember : Standing::kStranger;
  }
  Answer(std::move(done), standing);
}

void MemoryRoomStore::Members(const core::MembersRequest& request, Deadline,
                              Callback<Result<core::MembersPage>> done) {
  core::MembersPage page;
  if (const MemberSet* members = Find(request.room)) {
    for (auto it = members->upper_bound(request.after);
         it != members->end() && page.users.size() < request.limit; ++it) {
      page.users.push_back(*it);
    }
  } else {
    page.no_room = true;
  }
  Answer(std::move(done), std::move(page));
}

void MemoryRoomStore::Revoke(const core::Revocation& revocation, Deadline, Callback<Status> done) {
  std::int64_t& before = revoked_before_ms_[revocation.user];
  before = std::max(before, revocation.before_ms);
  Answer(std::move(done), Status());
}

void MemoryRoomStore::Revocations(std::int64_t since_ms, Deadline,
                                  Callback<Result<std::vector<core::Revocation>>> done) {
  std::vector<core::Revocation> all;
  for (const auto& [user, before_ms] : revoked_before_ms_) {
    if (before_ms > since_ms) all.push_back({user, before_ms});
  }
  Answer(std::move(done), std::move(all));
}

}  // namespace minichat::memory
