#include "relay/inbound_workers.h"

#include <future>
#include <vector>

namespace minichat::relay {
namespace {

// A call whose answer goes to the worker that waits for it. Gone when the worker has sent it.
class WorkedCall final : public UnaryCall {
 public:
  using UnaryCall::UnaryCall;

  void Answer(const std::vector<core::RelayResult>& results) override {
    Tell({grpc::StatusCode::OK, "", results});
  }
  void Refuse(grpc::StatusCode code, const char* why) override { Tell({code, why, {}}); }

  // The worker's thread.
  void Run(Mailbox<InboundCall*>& arrived) {
    std::future<Outcome> told = outcome_.get_future();
    if (!arrived.Push(this)) return Decline();
    const Outcome outcome = told.get();
    if (outcome.code == grpc::StatusCode::OK) return UnaryCall::Answer(outcome.results);
    UnaryCall::Refuse(outcome.code, outcome.why);
  }
  void Decline() { UnaryCall::Refuse(grpc::StatusCode::UNAVAILABLE, "shutting down"); }

 private:
  struct Outcome {
    grpc::StatusCode code;
    const char* why;  // a literal
    std::vector<core::RelayResult> results;
  };

  void Tell(Outcome outcome) {
    // The worker may end the call before this returns.
    std::promise<Outcome> waiting = std::move(outcome_);
    waiting.set_value(std::move(outcome));
  }

  std::promise<Outcome> outcome_;
};

}  // namespace

InboundWorkers::InboundWorkers(std::size_t workers, std::size_t max_waiting,
                               std::shared_ptr<Mailbox<InboundCall*>> arrived,
                               MetricsRegistry& registry)
    : arrived_(std::move(arrived)),
      executor_({.name = "relay_server",
                 .core_threads = workers,
                 .max_threads = workers,
                 .queue_tasks = max_waiting},
                registry) {}

grpc::ServerUnaryReactor* InboundWorkers::Take(InboundRelay relay, Deadline deadline,
                                               std::size_t bytes, v1::DeliverReply* reply,
                                               std::shared_ptr<InboundBudget> budget) {
  auto* call = new WorkedCall(std::move(relay), deadline, bytes, reply, std::move(budget));
  // Its queue holds all that the budget lets in: this fails only while the node stops.
  if (!executor_.Submit([this, call] { call->Run(*arrived_); })) call->Decline();
  return call;
}

}  // namespace minichat::relay
