#include "server/core/head_sweeper.h"

#include <iterator>

namespace minichat::core {

Task<void> HeadSweeper::Loop() {
  for (;;) {
    kick_ = Completion<bool>(node_.scheduler());
    Completion<bool> kicked = kick_;
    co_await kicked.WaitUntil(node_.now() + node_.Jittered(node_.options.sweep, 0.05));
    if (kicked.done()) remaining_.clear();  // all rooms, from the start
    std::vector<RoomId> rooms = NextSlice();
    if (membership_.ready() && !rooms.empty()) co_await Sweep(std::move(rooms));
  }
}

Task<void> HeadSweeper::Sweep(std::vector<RoomId> rooms) {
  const Generation generation = membership_.generation();
  auto heads = co_await DirectoryCall<Result<std::vector<RoomHead>>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Heads(rooms, generation, deadline, std::move(done));
      });
  if (!heads.ok() || generation != membership_.generation()) co_return;
  presence_.OnSweep();
  std::vector<Behind> behind;
  for (std::size_t i = 0; i < rooms.size() && i < heads->size(); ++i) {
    const auto sequencer = rooms_.Find(rooms[i]);
    if (!sequencer) continue;
    const RoomHead& head = heads.value()[i];
    if (head.cold) {
      if (node_.rules().sweepwarm) node_.tasks.Spawn(WarmThenSweep(rooms[i]));
      continue;
    }
    sequencer->SetStoredUpTo(head.stored_upto);
    presence_.OnHead(rooms[i], head);
    auto sessions = sequencer->SessionsBelow(head.head);
    if (!sessions.empty()) behind.push_back({rooms[i], head.head, std::move(sessions)});
  }
  if (!behind.empty()) node_.tasks.Spawn(RepairLater(std::move(behind)));
}

Task<void> HeadSweeper::RepairLater(std::vector<Behind> behind) {
  const Generation generation = membership_.generation();
  // What is on its way comes meanwhile and costs no pull.
  co_await Sleep(node_.scheduler(), node_.options.sweep_grace);
  if (generation != membership_.generation()) co_return;
  for (const Behind& one : behind) {
    const auto sequencer = rooms_.Find(one.room);
    if (sequencer) sequencer->RepairTo(one.head, one.sessions);
  }
}

Task<void> HeadSweeper::WarmThenSweep(RoomId room) {
  const Status warmed = co_await reader_.Warm(room);
  if (warmed.ok()) Kick();
}

std::vector<RoomId> HeadSweeper::NextSlice() {
  if (remaining_.empty()) remaining_ = rooms_.rooms();
  const std::size_t count = std::min(remaining_.size(), node_.options.rooms_per_sweep);
  const auto first = remaining_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<RoomId> slice(std::make_move_iterator(first),
                            std::make_move_iterator(remaining_.end()));
  remaining_.erase(first, remaining_.end());
  return slice;
}

}  // namespace minichat::core
