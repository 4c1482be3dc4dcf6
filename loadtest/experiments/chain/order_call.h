#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "loadtest/experiments/chain/hop_budget.h"
#include "loadtest/experiments/chain/hop_journal.h"
#include "minichat/lab/v1/chain.pb.h"
#include "relay/inbound_call.h"

namespace minichat::lab {

// One order at one service, from its arrival to its end; what becomes of it goes to the journal and
// to the log.
//
// Lifetime:  deletes itself in OnDone(), which gRPC calls after End().
// Threading: made and ended by gRPC's threads; in between of whoever handles it.
class OrderCall final : public grpc::ServerUnaryReactor {
 public:
  OrderCall(std::string hop, grpc::CallbackServerContext& context, const v1::OrderRequest& request,
            v1::OrderReply* reply, HopJournal& journal,
            std::shared_ptr<relay::InboundBudget> in_hand);

  // Somebody handles it now.
  void Begin();
  // Exactly once. The call may be gone when it returns.
  void End(const grpc::Status& status);
  void DidSlices(std::uint32_t slices);

  grpc::CallbackServerContext& context() { return context_; }
  std::uint32_t number() const { return entry_.number(); }
  const HopBudget& budget() const { return budget_; }
  // Nobody waits for the answer any more.
  bool CallerGone() const { return cancelled_ || budget_.Passed(Now()); }

 private:
  void OnCancel() override { cancelled_ = true; }
  void OnDone() override;

  const std::string hop_;
  grpc::CallbackServerContext& context_;
  const HopBudget budget_;
  v1::OrderReply* const reply_;
  HopJournal& journal_;
  const std::shared_ptr<relay::InboundBudget> in_hand_;
  v1::JournalEntry entry_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace minichat::lab
