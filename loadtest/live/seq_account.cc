#include "loadtest/live/seq_account.h"

namespace minichat::loadtest {

SeqAccount::Arrival SeqAccount::Receive(std::uint64_t seq) {
  if (seq <= last_) return missing_.erase(seq) > 0 ? Arrival::kMisordered : Arrival::kRepeated;
  const std::uint64_t gap = seq - last_ - 1;
  if (gap <= kMaxMissing) {
    for (std::uint64_t lost = last_ + 1; lost < seq; ++lost) missing_.insert(missing_.end(), lost);
  } else {
    missing_.clear();
  }
  while (missing_.size() > kMaxMissing) missing_.erase(missing_.begin());
  last_ = seq;
  return Arrival::kNext;
}

}  // namespace minichat::loadtest
