#pragma once

#include <atomic>
#include <memory>

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>

#include "minichat/v1/relay.pb.h"
#include "server/base/scheduler.h"

namespace minichat::relay {

// Keeps gRPC's callback threads awake. gRPC 1.51 polls its sockets with the two threads that run
// callbacks, and one that had nothing to run for a second then sleeps for 100 ms
// (CallbackAlternativeCQ in src/cpp/common/completion_queue_cc.cc). In a quiet cluster both do so
// together, and a relay waits meanwhile. A call that ends before it begins, now and then, is
// something to run.
//
// Lifetime:  the scheduler outlives it. Its end waits for the call under way, at most those 100 ms.
// Threading: confined to the scheduler's thread.
// Limits:    one call under way; kPeriod between two.
class CallbackPulse {
 public:
  // `channel`: any; nothing is sent on it.
  CallbackPulse(Scheduler& scheduler, const std::shared_ptr<grpc::Channel>& channel);
  ~CallbackPulse();
  CallbackPulse(const CallbackPulse&) = delete;
  CallbackPulse& operator=(const CallbackPulse&) = delete;

 private:
  using Stub = grpc::TemplatedGenericStub<v1::ControlRequest, v1::ControlReply>;

  void Beat();

  Scheduler& scheduler_;
  Stub stub_;
  Scheduler::TimerId timer_ = 0;
  const std::shared_ptr<std::atomic<bool>> under_way_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace minichat::relay
