#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/base/mutex.h"

namespace minichat::transports {

inline constexpr std::size_t kRecipients = 100;  // of each message, all on the other node

// Which recipient was handed which message: each pair must come exactly once.
//
// Threading: thread-safe.
class RelayAccount {
 public:
  // `seq` from 1, without holes in the end.
  void Handed(std::uint64_t seq, std::size_t recipient);

  struct Figures {
    std::uint64_t messages = 0;  // the highest seq
    std::uint64_t handed = 0;
    std::uint64_t missing = 0;
    std::uint64_t repeated = 0;
    std::uint64_t unknown = 0;  // no such recipient
  };
  Figures Read() const;

 private:
  mutable Mutex mutex_;
  std::vector<std::bitset<kRecipients>> messages_ MINICHAT_GUARDED_BY(mutex_);
  Figures figures_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace minichat::transports
