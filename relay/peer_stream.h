#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/status.h>

#include "minichat/v1/relay.pb.h"
#include "relay/mailbox.h"
#include "server/base/metrics.h"
#include "server/base/mutex.h"
#include "server/base/scheduler.h"

namespace minichat::relay {

class PeerStream;
class StreamLane;

// An item that waits for its turn on the stream.
struct QueuedItem {
  std::uint64_t id = 0;
  TimePoint end;        // nobody waits for its result any more
  std::string request;  // a v1::DeliverRequest in wire form
};

// What gRPC's threads tell the core thread of a stream.
struct StreamNews {
  std::shared_ptr<PeerStream> stream;
  std::optional<v1::StreamReply> reply;  // none: the stream has ended, with `status`
  grpc::Status status;
};
using StreamNewsBox = Mailbox<StreamNews>;

// One bidirectional gRPC stream to another node, from its start to its end. While a write is under
// way items gather; the next write takes them all.
//
// Lifetime:  holds itself from Open() until gRPC's OnDone().
// Threading: thread-safe. Items are put together by whichever thread starts the write: the core
//            thread, or gRPC's when the write before has ended. No hop lies between two writes.
// Limits:    one write under way; a write is at most kMaxRequestBytes (but for a single item that
//            is larger) and kMaxItemsPerBatch. What may wait is the lane's matter.
class PeerStream final : public grpc::ClientBidiReactor<grpc::ByteBuffer, v1::StreamReply>,
                         public std::enable_shared_from_this<PeerStream> {
 public:
  using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, v1::StreamReply>;

  PeerStream(const Scheduler& scheduler, Counter& writes, std::weak_ptr<StreamLane> lane,
             std::shared_ptr<StreamNewsBox> news);

  // Once.
  void Open(Stub& stub, const std::string& cluster_secret);
  // After the stream's end they are dropped: the lane learns of the end by the news.
  void Send(std::vector<QueuedItem> items);
  void Cancel() { context_.TryCancel(); }

  std::size_t queued_bytes() const;
  const std::weak_ptr<StreamLane>& lane() const { return lane_; }

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  void WriteNext();
  std::vector<QueuedItem> TakeBatchLocked() MINICHAT_REQUIRES(mutex_);

  const Scheduler& scheduler_;
  Counter& writes_;
  const std::weak_ptr<StreamLane> lane_;
  const std::shared_ptr<StreamNewsBox> news_;
  grpc::ClientContext context_;
  std::shared_ptr<PeerStream> self_;
  v1::StreamReply reply_;   // of the one read
  grpc::ByteBuffer batch_;  // of the one write

  mutable Mutex mutex_;
  std::deque<QueuedItem> queue_ MINICHAT_GUARDED_BY(mutex_);
  std::size_t queued_bytes_ MINICHAT_GUARDED_BY(mutex_) = 0;
  bool writing_ MINICHAT_GUARDED_BY(mutex_) = false;
  bool ended_ MINICHAT_GUARDED_BY(mutex_) = false;
};

}  // namespace minichat::relay
