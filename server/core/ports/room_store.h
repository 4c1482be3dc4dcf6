#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/base/deadline.h"
#include "server/base/status.h"
#include "server/base/task.h"
#include "server/core/ids.h"

namespace minichat::core {

// What a user is to a private room.
enum class Standing { kNoRoom, kStranger, kMember };

enum class MemberChange { kNoRoom, kChanged, kUnchanged };

struct MembersRequest {
  RoomId room;
  UserId after;  // exclusive; empty: from the first
  std::size_t limit = 0;
};

struct MembersPage {
  bool no_room = false;
  std::vector<UserId> users;  // ascending
};

// Tokens of this user that were issued before this time are void.
struct Revocation {
  UserId user;
  std::int64_t before_ms = 0;

  bool operator==(const Revocation&) const = default;
};

// Private rooms, their members, and whose tokens are void. Postgres, or memory. Rooms that the
// configuration opens to all are not here.
//
// Lifetime:  outlives the ChatNode.
// Threading: called on the core scheduler's thread; callbacks run there, never inside the call.
// Errors:    Unavailable or DeadlineExceeded: nothing is known of the outcome; each call may be
//            repeated. Callbacks run exactly once, soon after the deadline at the latest.
// Limits:    waiting calls are bounded; above, ResourceExhausted at once.
class RoomStore {
 public:
  virtual ~RoomStore() = default;

  // With its first members, in one transaction. False: the room is there already; nothing changed.
  virtual void CreateRoom(const RoomId& room, std::vector<UserId> members, Deadline deadline,
                          Callback<Result<bool>> done) = 0;
  virtual void AddMember(const RoomId& room, const UserId& user, Deadline deadline,
                         Callback<Result<MemberChange>> done) = 0;
  virtual void RemoveMember(const RoomId& room, const UserId& user, Deadline deadline,
                            Callback<Result<MemberChange>> done) = 0;
  virtual void StandingOf(const RoomId& room, const UserId& user, Deadline deadline,
                          Callback<Result<Standing>> done) = 0;
  virtual void Members(const MembersRequest& request, Deadline deadline,
                       Callback<Result<MembersPage>> done) = 0;

  // The later of this and an earlier one counts.
  virtual void Revoke(const Revocation& revocation, Deadline deadline, Callback<Status> done) = 0;
  // All that are younger than `since_ms`: older ones concern tokens that have expired by now.
  virtual void Revocations(std::int64_t since_ms, Deadline deadline,
                           Callback<Result<std::vector<Revocation>>> done) = 0;
};

}  // namespace minichat::core
