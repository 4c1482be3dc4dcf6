#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

namespace minichat::loadtest {

// What one session lacks of a room, told by the numbers alone: nobody else talks there, so each
// message has the number after the one before. For sessions that come and go, where what each must
// get can't be said message by message.
//
// Threading: thread-compatible.
// Limits:    at most kMaxMissing numbers are remembered; a wider gap is another numbering of the
// room
//            (Redis lost its memory), and no loss.
class SeqAccount {
 public:
  enum class Arrival { kNext, kMisordered, kRepeated };

  // All up to `joined_at` is not for this session.
  explicit SeqAccount(std::uint64_t joined_at = 0) : last_(joined_at) {}

  Arrival Receive(std::uint64_t seq);
  std::size_t missing() const { return missing_.size(); }
  // The highest that came.
  std::uint64_t last() const { return last_; }

 private:
  static constexpr std::uint64_t kMaxMissing = 10'000;

  std::uint64_t last_;
  std::set<std::uint64_t> missing_;
};

}  // namespace minichat::loadtest
