#include "loadtest/experiments/chain/hop_journal.h"

namespace minichat::lab {

void HopJournal::OnArrived() {
  const MutexLock lock(mutex_);
  ++active_;
}

void HopJournal::OnEnded(const v1::JournalEntry& entry) {
  const MutexLock lock(mutex_);
  --active_;
  entries_.push_back(entry);
  if (entries_.size() > kMaxEntries) entries_.pop_front();
}

void HopJournal::OnRefused() {
  const MutexLock lock(mutex_);
  ++refused_;
}

v1::JournalReply HopJournal::Read() const {
  const MutexLock lock(mutex_);
  v1::JournalReply reply;
  for (const v1::JournalEntry& entry : entries_) *reply.add_entries() = entry;
  reply.set_active(active_);
  reply.set_refused(refused_);
  return reply;
}

}  // namespace minichat::lab
