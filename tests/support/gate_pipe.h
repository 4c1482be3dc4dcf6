#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace minichat::test {

// One direction of a gate's connection: bytes that were read from one socket and wait to be written
// to the other, each chunk not before its time.
//
// Threading: confined to the gate's thread.
class GatePipe {
 public:
  using Clock = std::chrono::steady_clock;

  bool WantsRead() const { return !ended_ && queued_ < kMaxQueued; }
  // Something may be written now.
  bool WantsWrite(Clock::time_point now) const { return !chunks_.empty() && NextDue() <= now; }
  bool empty() const { return chunks_.empty(); }
  Clock::time_point NextDue() const { return chunks_.front().due; }
  // All was written after the sender's end, and the end was not passed on yet.
  bool MustPassEnd() const { return ended_ && chunks_.empty() && !end_passed_; }

  // Reads once from `fd`. What was read; nothing when there was nothing or the sender ended; false
  // in `*alive` when the socket broke.
  std::string_view ReadFrom(int fd, std::chrono::milliseconds delay, bool* alive);
  // Writes what is due. False when the socket broke.
  bool WriteTo(int fd, Clock::time_point now, std::uint64_t* bytes);
  // Ends the direction; what still waited is dropped.
  void PassEnd(int fd);

 private:
  struct Chunk {
    Clock::time_point due;
    std::string bytes;
  };
  static constexpr std::size_t kMaxQueued = 1 << 20;

  std::deque<Chunk> chunks_;
  std::size_t queued_ = 0;
  bool ended_ = false;
  bool end_passed_ = false;
};

}  // namespace minichat::test
