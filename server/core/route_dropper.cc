#include "server/core/route_dropper.h"

namespace minichat::core {
namespace {

constexpr Duration kRetry = std::chrono::seconds(1);

}  // namespace

Task<void> RouteDropper::Drop(RoomId room, SessionId session) {
  const bool dropped = co_await TryDrop(room, session);
  if (!dropped) DropLater(room, session);
}

Task<void> RouteDropper::DropInTurn(RoomId room, SessionId session) {
  const bool dropped = co_await TryDropInTurn(room, session);
  if (!dropped) DropLater(room, session);
}

void RouteDropper::DropLater(const RoomId& room, const SessionId& session) {
  if (left_.size() >= kMaxLeft) {
    left_.clear();
    membership_.RegisterAnew();
    return;
  }
  left_.emplace(room, session);
  if (!std::exchange(retrying_, true)) node_.tasks.Spawn(RetryLoop());
}

Task<void> RouteDropper::RetryLoop() {
  while (!left_.empty()) {
    co_await Sleep(node_.scheduler(), node_.Jittered(kRetry, 0.1));
    bool goes_on = membership_.ready();
    while (goes_on && !left_.empty()) {
      const auto [room, session] = *left_.begin();
      goes_on = co_await TryDropInTurn(room, session);
      if (goes_on) left_.erase({room, session});
    }
  }
  retrying_ = false;
}

Task<bool> RouteDropper::TryDropInTurn(RoomId room, SessionId id) {
  const SessionPtr session = rooms_.FindSession(id);
  if (!session) co_return co_await TryDrop(room, id);
  const bool its_turn = co_await session->turns.Enter(room);
  if (!its_turn) co_return false;
  bool done = true;
  if (session->rooms.count(room) == 0) done = co_await TryDrop(room, id);
  session->turns.Exit(room);
  co_return done;
}

Task<bool> RouteDropper::TryDrop(RoomId room, SessionId session) {
  const Generation generation = membership_.generation();
  const NodeName name = membership_.self().name;
  const Status status = co_await DirectoryCall<Status>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Leave(room, session, name, generation, deadline, std::move(done));
      });
  co_return status.ok();
}

}  // namespace minichat::core
