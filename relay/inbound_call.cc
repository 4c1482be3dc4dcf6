#include "relay/inbound_call.h"

namespace minichat::relay {

bool InboundBudget::TryTake(std::size_t bytes) {
  const std::size_t calls = calls_.fetch_add(1) + 1;
  const std::size_t total = bytes_.fetch_add(bytes) + bytes;
  depth_.Increment();
  if (calls <= max_calls_ && total <= max_bytes_) return true;
  GiveBack(bytes);
  return false;
}

void InboundBudget::GiveBack(std::size_t bytes) {
  calls_.fetch_sub(1);
  bytes_.fetch_sub(bytes);
  depth_.Decrement();
}

void UnaryCall::Answer(const std::vector<core::RelayResult>& results) {
  for (const core::RelayResult result : results) reply_->add_results(ToWire(result));
  Finish(grpc::Status::OK);
}

void UnaryCall::Refuse(grpc::StatusCode code, const char* why) {
  Finish(grpc::Status(code, why));
}

void UnaryCall::OnDone() {
  budget_->GiveBack(bytes_);
  delete this;
}

}  // namespace minichat::relay
