#include "server/core/room_joiner.h"

#include <algorithm>

namespace minichat::core {
namespace {

constexpr int kWarmTries = 20;

ClientError AwayError() {
  return {ErrorCode::kUnavailable, "the room can't be joined now: a back end is away", 1000};
}

}  // namespace

Task<void> RoomJoiner::Join(SessionPtr session, RoomId room, std::optional<Seq> since,
                            Callback<ClientResult<JoinReply>> done) {
  if (!node_.rules().joinonce) {  // as the simulation switches it off: no turns, and it starts anew
    auto reply = co_await Enter(session, room, since);
    done(std::move(reply));
    co_return;
  }
  auto reply = co_await JoinInTurn(session, room, since);
  const bool joined = std::holds_alternative<JoinReply>(reply);
  done(std::move(reply));
  const auto sequencer = rooms_.Find(room);
  if (joined && sequencer) sequencer->CatchUp(session->id, PullCause::kJoin);
}

Task<void> RoomJoiner::Resume(SessionPtr session, std::vector<std::pair<RoomId, Seq>> rooms,
                              Callback<std::vector<ClientResult<JoinReply>>> done) {
  const Deadline deadline = node_.In(node_.options.operation);
  session->corked = true;
  std::vector<ClientResult<JoinReply>> replies;
  for (const auto& [room, since] : rooms) {
    if (deadline.Passed(node_.now())) {
      replies.push_back(AwayError());
      continue;
    }
    auto reply = co_await JoinInTurn(session, room, since);
    replies.push_back(std::move(reply));
  }
  session->corked = false;
  if (!session->open) co_return;
  done(std::move(replies));
  for (const auto& [room, since] : rooms) {
    const auto sequencer = rooms_.Find(room);
    if (sequencer) sequencer->CatchUp(session->id, PullCause::kResume);
  }
}

Task<void> RoomJoiner::Leave(SessionPtr session, RoomId room, Callback<ClientResult<RoomId>> done) {
  const bool its_turn = co_await session->turns.Enter(room);
  if (!its_turn) {
    done(ClientError{ErrorCode::kOverloaded, "too many operations on this room are waiting", 1000});
    co_return;
  }
  rooms_.Leave(session, room);
  done(room);
  co_await dropper_.Drop(room, session->id);
  session->turns.Exit(room);
}

Task<ClientResult<JoinReply>> RoomJoiner::JoinInTurn(SessionPtr session, RoomId room,
                                                     std::optional<Seq> since) {
  const bool its_turn = co_await session->turns.Enter(room);
  if (!its_turn) {
    co_return ClientError{ErrorCode::kOverloaded, "too many operations on this room are waiting",
                          1000};
  }
  ClientResult<JoinReply> reply = ClientError{ErrorCode::kInternal, "the session is closed", {}};
  if (session->open && session->rooms.count(room) != 0) {
    reply = Present(*session, room);
  } else if (session->open && session->rooms.size() >= node_.options.max_rooms_per_session) {
    reply = ClientError{ErrorCode::kOverloaded, "this session has joined too many rooms", {}};
  } else if (session->open) {
    reply = co_await Enter(session, room, since);
  }
  session->turns.Exit(room);
  co_return reply;
}

Task<ClientResult<JoinReply>> RoomJoiner::Enter(SessionPtr session, RoomId room,
                                                std::optional<Seq> since) {
  std::uint64_t epoch = access_.epoch();
  auto refusal = co_await access_.RefusalOf(session->user, room);
  if (refusal) co_return std::move(*refusal);
  const Route route = rooms_.RouteOf(*session);
  const bool was_ready = membership_.ready();
  auto registered = co_await Register(room, route);
  if (!registered.ok()) {
    if (was_ready) dropper_.DropLater(room, session->id);  // the directory may have heard it
    co_return AwayError();
  }
  // Members were removed meanwhile, and nobody found this session in the room.
  while (epoch != access_.epoch()) {
    epoch = access_.epoch();
    refusal = co_await access_.RefusalOf(session->user, room);
    if (!refusal) continue;
    co_await dropper_.Drop(room, session->id);
    co_return std::move(*refusal);
  }
  if (!session->open) {
    co_await dropper_.Drop(room, session->id);
    co_return ClientError{ErrorCode::kInternal, "the session is closed", {}};
  }
  JoinReply reply{room, registered->head, registered->head, true};
  if (since) {
    const Seq known = std::max(registered->head, FloorOf(membership_.generation(),
                                                         node_.options.directory.generation_step));
    reply.recovered = *since <= known;
    if (reply.recovered) reply.cursor = *since;
  }
  const Seq head = std::max(reply.head, session->turns.TakeEarly(room));
  rooms_.Enter(session, room, reply.cursor, head);
  if (route.incarnation != membership_.self().incarnation) {
    // The node took a new incarnation meanwhile: the route is put right, or the next one does it.
    const Route now = rooms_.RouteOf(*session);
    const Generation generation = membership_.generation();
    const Status status = co_await DirectoryCall<Status>(
        node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
          node_.ports.directory.Reroute(room, {now}, generation, deadline, std::move(done));
        });
    status.IgnoreError("becoming ready registers all routes");
  }
  co_return reply;
}

Task<Result<JoinOutcome>> RoomJoiner::Register(RoomId room, Route route) {
  for (int i = 0; i < kWarmTries; ++i) {
    const Generation generation = membership_.generation();
    auto outcome = co_await DirectoryCall<Result<JoinOutcome>>(
        node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
          node_.ports.directory.Join(room, route, generation, deadline, std::move(done));
        });
    if (!outcome.ok() || !outcome->cold) co_return outcome;
    const Status warmed = co_await reader_.Warm(room);
    if (!warmed.ok()) co_return warmed;
  }
  co_return Unavailable("the room stays cold");
}

JoinReply RoomJoiner::Present(const Session& session, const RoomId& room) const {
  const Seq cursor = rooms_.Find(room)->CursorOf(session.id);
  return {room, cursor, cursor, true};
}

}  // namespace minichat::core
