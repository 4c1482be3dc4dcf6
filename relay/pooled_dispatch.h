#pragma once

#include <memory>

#include "relay/call_dispatch.h"
#include "server/base/fed_executor.h"

namespace minichat::relay {

// The classic thread-pool server, for comparisons in the lab: each call is one task, which blocks
// in the call until it has its answer (docs/adr/0015).
//
// Lifetime:  the pool outlives it, and is stopped after the calls were cancelled.
// Threading: Start() on the core thread; calls block on the pool's threads.
// Errors:    a call that the pool has no place for, or whose time was over before its turn, ends
//            with CANCELLED: that says nothing of the peer.
// Limits:    the pool's.
class PooledDispatch final : public CallDispatch {
 public:
  PooledDispatch(FedExecutor& pool, std::shared_ptr<EndedCalls> ended)
      : pool_(pool), ended_(std::move(ended)) {}

  void Start(PeerChannel& peer, std::unique_ptr<RelayCall> call) override;

 private:
  FedExecutor& pool_;
  const std::shared_ptr<EndedCalls> ended_;
};

}  // namespace minichat::relay
