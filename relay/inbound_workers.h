#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "relay/inbound_call.h"
#include "relay/mailbox.h"
#include "server/base/executor.h"

namespace minichat::relay {

// The classic server that has a thread for each call in hand, for comparisons in the lab: a call
// from another node waits for a worker, which is held until the core has answered, and sends the
// answer.
//
// Lifetime:  Stop() when nothing in the mailbox is unanswered any more.
// Threading: Take() on gRPC's threads, Stop() on the core thread.
// Limits:    `workers` calls at a time; `max_waiting` others wait, at least as many as the budget
//            lets in.
class InboundWorkers {
 public:
  InboundWorkers(std::size_t workers, std::size_t max_waiting,
                 std::shared_ptr<Mailbox<InboundCall*>> arrived, MetricsRegistry& registry);

  // The reactor of this call, which has been counted into `budget`.
  grpc::ServerUnaryReactor* Take(InboundRelay relay, Deadline deadline, std::size_t bytes,
                                 v1::DeliverReply* reply, std::shared_ptr<InboundBudget> budget);
  // Ends the threads; what they still have is refused, as the mailbox is closed.
  void Stop() { executor_.Stop(); }

 private:
  const std::shared_ptr<Mailbox<InboundCall*>> arrived_;
  Executor executor_;
};

}  // namespace minichat::relay
