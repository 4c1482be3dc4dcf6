#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <grpcpp/support/server_callback.h>

#include "minichat/v1/relay.pb.h"
#include "relay/relay_codec.h"
#include "relay/relay_metrics.h"
#include "server/base/deadline.h"

namespace minichat::relay {

// How much is in hand, against its bounds.
//
// Threading: thread-safe.
class InboundBudget {
 public:
  InboundBudget(std::size_t max_calls, std::size_t max_bytes, Gauge& depth)
      : max_calls_(max_calls), max_bytes_(max_bytes), depth_(depth) {}

  bool TryTake(std::size_t bytes);
  void GiveBack(std::size_t bytes);

 private:
  const std::size_t max_calls_;
  const std::size_t max_bytes_;
  Gauge& depth_;
  std::atomic<std::size_t> calls_ = 0;
  std::atomic<std::size_t> bytes_ = 0;
};

// One relay from another node, from its arrival to its end: a unary call, or an item of a stream.
//
// Lifetime:  its own: it is gone some time after exactly one Answer() or Refuse().
// Threading: made and ended by gRPC's threads; in between of the core thread.
class InboundCall {
 public:
  InboundCall(const InboundCall&) = delete;
  InboundCall& operator=(const InboundCall&) = delete;

  const InboundRelay& relay() const { return relay_; }
  Deadline deadline() const { return deadline_; }
  // Nobody waits for the answer any more.
  bool CallerGone(TimePoint now) const { return cancelled() || deadline_.Passed(now); }

  // The call may be gone when these return.
  virtual void Answer(const std::vector<core::RelayResult>& results) = 0;
  virtual void Refuse(grpc::StatusCode code, const char* why) = 0;

 protected:
  InboundCall(InboundRelay relay, Deadline deadline)
      : relay_(std::move(relay)), deadline_(deadline) {}
  virtual ~InboundCall() = default;

 private:
  virtual bool cancelled() const = 0;

  const InboundRelay relay_;
  const Deadline deadline_;
};

// Lifetime:  deletes itself in OnDone(), which gRPC calls after its answer.
class UnaryCall : public InboundCall, public grpc::ServerUnaryReactor {
 public:
  UnaryCall(InboundRelay relay, Deadline deadline, std::size_t bytes, v1::DeliverReply* reply,
            std::shared_ptr<InboundBudget> budget)
      : InboundCall(std::move(relay), deadline),
        bytes_(bytes),
        reply_(reply),
        budget_(std::move(budget)) {}

  void Answer(const std::vector<core::RelayResult>& results) override;
  void Refuse(grpc::StatusCode code, const char* why) override;

 private:
  bool cancelled() const override { return cancelled_; }
  void OnCancel() override { cancelled_ = true; }
  void OnDone() override;

  const std::size_t bytes_;
  v1::DeliverReply* const reply_;
  const std::shared_ptr<InboundBudget> budget_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace minichat::relay
