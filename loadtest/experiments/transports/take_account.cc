#include "loadtest/experiments/transports/take_account.h"

namespace minichat::transports {

TakeAccount::TakeAccount(std::size_t items, std::uint64_t of_each)
    : of_each_(of_each), items_(items) {}

void TakeAccount::Taken(std::uint32_t item, std::uint64_t left, std::chrono::nanoseconds latency,
                        std::chrono::nanoseconds in_hand) {
  const MutexLock lock(mutex_);
  Item& taken = items_.at(item);
  ++taken.takes;
  taken.sum_of_left += left;
  if (!measuring_) return;
  latency_.Add(latency);
  in_hand_.Add(in_hand);
}

void TakeAccount::Failed(const Status& why) {
  const MutexLock lock(mutex_);
  if (failed_++ == 0) first_failure_ = why.ToString();
}

void TakeAccount::BeginMeasuring() {
  const MutexLock lock(mutex_);
  measuring_ = true;
}

void TakeAccount::EndMeasuring() {
  const MutexLock lock(mutex_);
  measuring_ = false;
}

TakeAccount::Figures TakeAccount::Read() const {
  const MutexLock lock(mutex_);
  Figures figures;
  for (const Item& item : items_) {
    figures.takes += item.takes;
    const std::uint64_t expected = item.takes * of_each_ - item.takes * (item.takes + 1) / 2;
    if (item.sum_of_left != expected) ++figures.wrong_items;
  }
  figures.measured = latency_.count();
  figures.failed = failed_;
  figures.p50_ms = latency_.AtMs(0.50);
  figures.p95_ms = latency_.AtMs(0.95);
  figures.p99_ms = latency_.AtMs(0.99);
  figures.in_hand_p50_ms = in_hand_.AtMs(0.50);
  figures.first_failure = first_failure_;
  return figures;
}

}  // namespace minichat::transports
