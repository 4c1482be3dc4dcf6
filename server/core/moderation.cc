#include "server/core/moderation.h"

#include <utility>

#include "server/core/sender.h"

namespace minichat::core {
namespace {

ClientError Away() {
  return {ErrorCode::kUnavailable, "a back end is away; ask again", 1000};
}

ClientError NoSuchRoom(const RoomId& room) {
  return {ErrorCode::kNoSuchRoom, "room: there is no \"" + room.value() + "\"", {}};
}

}  // namespace

std::optional<ClientError> Moderation::OpenRoom(const RoomId& room) const {
  if (!access_.IsOpen(room)) return std::nullopt;
  return ClientError{
      ErrorCode::kBadRequest, "room: \"" + room.value() + "\" is open to all by rooms.open", {}};
}

void Moderation::CreateRoom(const RoomId& room, std::vector<UserId> members,
                            Callback<ClientResult<bool>> done) {
  if (auto open = OpenRoom(room)) return done(std::move(*open));
  node_.tasks.Spawn(CreateTask(room, std::move(members), std::move(done)));
}

Task<void> Moderation::CreateTask(RoomId room, std::vector<UserId> members,
                                  Callback<ClientResult<bool>> done) {
  auto made = co_await StoreCall<Result<bool>>(node_, [&](Deadline deadline, auto reply) {
    node_.ports.room_store.CreateRoom(room, members, deadline, std::move(reply));
  });
  if (made.ok()) {
    done(made.value());
  } else {
    done(Away());
  }
}

void Moderation::AddMember(const RoomId& room, const UserId& user,
                           Callback<ClientResult<bool>> done) {
  if (auto open = OpenRoom(room)) return done(std::move(*open));
  node_.tasks.Spawn(ChangeTask(&RoomStore::AddMember, room, user, std::move(done)));
}

void Moderation::RemoveMember(const RoomId& room, const UserId& user,
                              Callback<ClientResult<bool>> done) {
  if (auto open = OpenRoom(room)) return done(std::move(*open));
  node_.tasks.Spawn(ChangeTask(&RoomStore::RemoveMember, room, user, std::move(done)));
}

Task<void> Moderation::ChangeTask(Change change, RoomId room, UserId user,
                                  Callback<ClientResult<bool>> done) {
  auto changed = co_await StoreCall<Result<MemberChange>>(node_, [&](Deadline d, auto reply) {
    (node_.ports.room_store.*change)(room, user, d, std::move(reply));
  });
  if (!changed.ok()) {
    done(Away());
    co_return;
  }
  if (changed.value() == MemberChange::kNoRoom) {
    done(NoSuchRoom(room));
    co_return;
  }
  if (change == &RoomStore::RemoveMember) {
    // Also when nothing changed: an earlier call may have failed between the two steps.
    const AccessChange removed{AccessChange::Kind::kMemberRemoved, user, room, SessionId(), 0};
    const Status told = co_await Tell(removed);
    if (!told.ok()) {
      done(Away());
      co_return;
    }
  }
  done(changed.value() == MemberChange::kChanged);
}

void Moderation::Members(const MembersRequest& request,
                         Callback<ClientResult<std::vector<UserId>>> done) {
  if (auto open = OpenRoom(request.room)) return done(std::move(*open));
  node_.tasks.Spawn(MembersTask(request, std::move(done)));
}

Task<void> Moderation::MembersTask(MembersRequest request,
                                   Callback<ClientResult<std::vector<UserId>>> done) {
  auto page = co_await StoreCall<Result<MembersPage>>(node_, [&](Deadline deadline, auto reply) {
    node_.ports.room_store.Members(request, deadline, std::move(reply));
  });
  if (!page.ok()) {
    done(Away());
  } else if (page->no_room) {
    done(NoSuchRoom(request.room));
  } else {
    done(std::move(page->users));
  }
}

void Moderation::Publish(const UserId& from, SendRequest request,
                         Callback<ClientResult<Ack>> done) {
  node_.tasks.Spawn(PublishTask(from, std::move(request), std::move(done)));
}

Task<void> Moderation::PublishTask(UserId from, SendRequest request,
                                   Callback<ClientResult<Ack>> done) {
  auto refusal = co_await RefusalOf(request.room);
  if (refusal) {
    done(std::move(*refusal));
    co_return;
  }
  sender_.Send(from, std::move(request), std::move(done));
}

Task<std::optional<ClientError>> Moderation::RefusalOf(RoomId room) {
  if (access_.IsOpen(room)) co_return std::nullopt;
  auto standing = co_await StoreCall<Result<Standing>>(node_, [&](Deadline deadline, auto reply) {
    node_.ports.room_store.StandingOf(room, UserId(), deadline, std::move(reply));
  });
  if (!standing.ok()) co_return Away();
  if (standing.value() == Standing::kNoRoom) co_return NoSuchRoom(room);
  co_return std::nullopt;
}

void Moderation::Kick(const AccessChange& whom, Callback<Status> done) {
  node_.tasks.Spawn(KickTask(whom, std::move(done)));
}

Task<void> Moderation::KickTask(AccessChange whom, Callback<Status> done) {
  whom.kind = AccessChange::Kind::kKicked;
  Status told = co_await Tell(whom);
  done(std::move(told));
}

void Moderation::Revoke(const UserId& user, Callback<Status> done) {
  node_.tasks.Spawn(RevokeTask(user, std::move(done)));
}

Task<void> Moderation::RevokeTask(UserId user, Callback<Status> done) {
  // Tokens tell their second only: the one that has begun is over for them.
  const std::int64_t before_ms = (node_.scheduler().WallMillis() / 1000 + 1) * 1000;
  const Revocation revocation{user, before_ms};
  Status status = co_await StoreCall<Status>(node_, [&](Deadline deadline, auto reply) {
    node_.ports.room_store.Revoke(revocation, deadline, std::move(reply));
  });
  if (status.ok()) {
    const AccessChange change{AccessChange::Kind::kRevoked, user, RoomId(), SessionId(), before_ms};
    status = co_await Tell(change);
  }
  done(std::move(status));
}

Task<Status> Moderation::Tell(AccessChange change) {
  auto version = co_await DirectoryCall<Result<std::uint64_t>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto reply) {
        node_.ports.directory.AddAccessChange(change, deadline, std::move(reply));
      });
  if (!version.ok()) co_return version.status();
  membership_.BeatNow();  // the other nodes hear of it at their next beat
  co_return Status();
}

std::vector<SessionInfo> Moderation::Sessions(const UserId& user) const {
  std::vector<SessionInfo> all;
  for (const SessionPtr& session : rooms_.sessions()) {
    if (all.size() >= kMaxPage) break;
    if (!user.empty() && session->user != user) continue;
    all.push_back({session->id, session->user, {session->rooms.begin(), session->rooms.end()}});
  }
  return all;
}

}  // namespace minichat::core
