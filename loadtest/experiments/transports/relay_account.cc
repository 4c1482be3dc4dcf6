#include "loadtest/experiments/transports/relay_account.h"

namespace minichat::transports {

void RelayAccount::Handed(std::uint64_t seq, std::size_t recipient) {
  const MutexLock lock(mutex_);
  ++figures_.handed;
  if (recipient >= kRecipients || seq == 0) {
    ++figures_.unknown;
    return;
  }
  if (messages_.size() < seq) messages_.resize(seq);
  auto& message = messages_[seq - 1];
  if (message.test(recipient)) ++figures_.repeated;
  message.set(recipient);
}

RelayAccount::Figures RelayAccount::Read() const {
  const MutexLock lock(mutex_);
  Figures figures = figures_;
  figures.messages = messages_.size();
  for (const auto& message : messages_) figures.missing += kRecipients - message.count();
  return figures;
}

}  // namespace minichat::transports
