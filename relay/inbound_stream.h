#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <set>

#include <grpcpp/support/server_callback.h>

#include "minichat/v1/relay.pb.h"
#include "relay/inbound_call.h"
#include "relay/mailbox.h"
#include "relay/relay_metrics.h"
#include "relay/stream_codec.h"
#include "server/base/mutex.h"
#include "server/base/scheduler.h"

namespace minichat::relay {

class InboundStream;

// The streams that are open.
//
// Threading: thread-safe.
class InboundStreams {
 public:
  // False after CloseAll().
  bool Add(std::shared_ptr<InboundStream> stream);
  void Remove(const std::shared_ptr<InboundStream>& stream);
  void CloseAll();

 private:
  Mutex mutex_;
  std::set<std::shared_ptr<InboundStream>> streams_ MINICHAT_GUARDED_BY(mutex_);
  bool closed_ MINICHAT_GUARDED_BY(mutex_) = false;
};

// What the listening side's calls and streams share.
struct Intake {
  Scheduler& scheduler;
  InboundMetrics& metrics;
  const Duration longest_call;
  const std::shared_ptr<InboundBudget> budget;
  const std::shared_ptr<Mailbox<InboundCall*>> arrived;
  InboundStreams streams;
};

// One stream from another node: batches come in, each of their items is a call, and the results
// that have gathered while a write was under way go out together.
//
// Lifetime:  holds itself from Begin() to gRPC's OnDone(); its items hold it too.
// Threading: thread-safe.
// Errors:    a batch that no node would send ends the stream; an item of that kind is refused.
// Limits:    items count against the intake's budget until they have their result. Of a
//            peer that doesn't read, kMaxWaitingResults results are kept; its other items end by
//            their time, on its side.
class InboundStream final : public grpc::ServerBidiReactor<v1::StreamBatch, v1::StreamReply>,
                            public std::enable_shared_from_this<InboundStream> {
 public:
  static constexpr int kMaxWaitingResults = 4096;

  explicit InboundStream(std::shared_ptr<Intake> intake) : intake_(std::move(intake)) {}

  void Begin();
  // Of one item that was taken in. Goes out with all else that this turn of the core thread
  // answers.
  void Reply(v1::StreamResult result);
  // Writes what has gathered, and ends the stream with `status`. The first one counts.
  void Close(grpc::Status status);
  bool cancelled() const { return cancelled_; }

 private:
  enum class Step { kNone, kWrite, kFinish };

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void TakeIn(v1::StreamBatch batch);
  InboundCall* Admit(InboundItem& item);
  // Does what is due: the next write, or the end.
  void Advance();
  Step NextLocked() MINICHAT_REQUIRES(mutex_);

  const std::shared_ptr<Intake> intake_;
  std::shared_ptr<InboundStream> self_;
  v1::StreamBatch batch_;          // of the one read
  v1::StreamReply writing_reply_;  // of the one write
  std::atomic<bool> cancelled_ = false;

  Mutex mutex_;
  v1::StreamReply waiting_ MINICHAT_GUARDED_BY(mutex_);
  std::size_t unanswered_ MINICHAT_GUARDED_BY(mutex_) = 0;
  bool flush_posted_ MINICHAT_GUARDED_BY(mutex_) = false;
  bool writing_ MINICHAT_GUARDED_BY(mutex_) = false;
  bool read_all_ MINICHAT_GUARDED_BY(mutex_) = false;
  bool closing_ MINICHAT_GUARDED_BY(mutex_) = false;
  bool finished_ MINICHAT_GUARDED_BY(mutex_) = false;
  grpc::Status status_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace minichat::relay
