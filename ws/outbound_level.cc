#include "ws/outbound_level.h"

namespace minichat::ws {

void OutboundLevel::Add(std::size_t bytes) {
  bytes_ += bytes;
  ++frames_;
}

void OutboundLevel::Remove(std::size_t bytes, std::size_t frames) {
  bytes_ -= bytes;
  if ((frames_ -= frames) == 0) catching_up_ = false;
}

bool OutboundLevel::TakePage() {
  bool room = IsBelow(2);
  if (!room) {
    notice_ = true;
    // It may have drained between the look and the note; then nobody would come back for the note.
    room = IsBelow(4) && notice_.exchange(false);
  }
  if (room) catching_up_ = true;
  return room;
}

bool OutboundLevel::TakeNotice() {
  return notice_ && IsBelow(4) && notice_.exchange(false);
}

}  // namespace minichat::ws
