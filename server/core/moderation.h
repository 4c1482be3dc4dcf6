#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/core/chat_node.h"
#include "server/core/room_access.h"
#include "server/core/room_table.h"

namespace minichat::core {

class RoomReader;
class Sender;

struct SessionInfo {
  SessionId id;
  UserId user;
  std::vector<RoomId> rooms;
};

// What operators and trusted services do to rooms, members and sessions. What ends something is
// stored first, then told to all nodes through the directory (AccessWatch); each call may be
// repeated, and does no harm when it was done already.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread; callbacks run
//            there, never after the node's end.
// Errors:    kNoSuchRoom; kBadRequest for rooms that the configuration opens; kUnavailable.
class Moderation {
 public:
  static constexpr std::size_t kMaxFirstMembers = 1'000;
  static constexpr std::size_t kMaxPage = 1'000;

  Moderation(NodeContext& node, Membership& membership, RoomAccess& access, RoomTable& rooms,
             Sender& sender)
      : node_(node), membership_(membership), access_(access), rooms_(rooms), sender_(sender) {}

  // True: it was made; false: it was there, and nothing changed.
  void CreateRoom(const RoomId& room, std::vector<UserId> members,
                  Callback<ClientResult<bool>> done);
  // True: something changed.
  void AddMember(const RoomId& room, const UserId& user, Callback<ClientResult<bool>> done);
  void RemoveMember(const RoomId& room, const UserId& user, Callback<ClientResult<bool>> done);
  void Members(const MembersRequest& request, Callback<ClientResult<std::vector<UserId>>> done);

  // A message of a user who needs no session.
  void Publish(const UserId& from, SendRequest request, Callback<ClientResult<Ack>> done);
  // None: the room is there, open or private.
  Task<std::optional<ClientError>> RefusalOf(RoomId room);

  // One session, or all sessions of a user. They may come back.
  void Kick(const AccessChange& whom, Callback<Status> done);
  // Tokens of the user that were issued until now are void, and sessions with them end.
  void Revoke(const UserId& user, Callback<Status> done);
  // Of this node; of all users when `user` is empty; at most kMaxPage.
  std::vector<SessionInfo> Sessions(const UserId& user) const;

 private:
  using Change = void (RoomStore::*)(const RoomId&, const UserId&, Deadline,
                                     Callback<Result<MemberChange>>);

  Task<void> CreateTask(RoomId room, std::vector<UserId> members,
                        Callback<ClientResult<bool>> done);
  Task<void> ChangeTask(Change change, RoomId room, UserId user, Callback<ClientResult<bool>> done);
  Task<void> MembersTask(MembersRequest request, Callback<ClientResult<std::vector<UserId>>> done);
  Task<void> PublishTask(UserId from, SendRequest request, Callback<ClientResult<Ack>> done);
  Task<void> KickTask(AccessChange whom, Callback<Status> done);
  Task<void> RevokeTask(UserId user, Callback<Status> done);
  Task<Status> Tell(AccessChange change);
  std::optional<ClientError> OpenRoom(const RoomId& room) const;

  NodeContext& node_;
  Membership& membership_;
  RoomAccess& access_;
  RoomTable& rooms_;
  Sender& sender_;
};

}  // namespace minichat::core
