#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "minichat/lab/v1/chain.pb.h"
#include "server/base/mutex.h"

namespace minichat::lab {

// What one service has seen of the orders: for the log, and for who asks.
//
// Threading: thread-safe.
// Limits:    the last kMaxEntries orders.
class HopJournal {
 public:
  static constexpr std::size_t kMaxEntries = 10'000;

  void OnArrived();
  void OnEnded(const v1::JournalEntry& entry);
  void OnRefused();
  v1::JournalReply Read() const;

 private:
  mutable Mutex mutex_;
  std::deque<v1::JournalEntry> entries_ MINICHAT_GUARDED_BY(mutex_);
  std::uint32_t active_ MINICHAT_GUARDED_BY(mutex_) = 0;
  std::uint64_t refused_ MINICHAT_GUARDED_BY(mutex_) = 0;
};

}  // namespace minichat::lab
