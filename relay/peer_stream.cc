#include "relay/peer_stream.h"

#include <utility>

#include <grpcpp/impl/codegen/proto_utils.h>  // how the replies are parsed

#include "relay/cluster_secret.h"
#include "relay/stream_codec.h"

namespace minichat::relay {
namespace {

constexpr char kStreamMethod[] = "/minichat.v1.Relay/DeliverStream";

grpc::ByteBuffer Encode(const std::vector<QueuedItem>& items, TimePoint now) {
  std::size_t bytes = 0;
  for (const QueuedItem& item : items) bytes += item.request.size() + kItemOverhead;
  std::string batch;
  batch.reserve(bytes);
  for (const QueuedItem& item : items) AppendItem(item.id, item.end - now, item.request, &batch);
  const grpc::Slice slice = ToSlice(std::move(batch));
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

PeerStream::PeerStream(const Scheduler& scheduler, Counter& writes, std::weak_ptr<StreamLane> lane,
                       std::shared_ptr<StreamNewsBox> news)
    : scheduler_(scheduler), writes_(writes), lane_(std::move(lane)), news_(std::move(news)) {}

void PeerStream::Open(Stub& stub, const std::string& cluster_secret) {
  self_ = shared_from_this();
  context_.AddMetadata(kClusterSecretKey, cluster_secret);
  stub.PrepareBidiStreamingCall(&context_, kStreamMethod, {}, this);
  AddHold();  // writes start from outside of gRPC's reactions; until ended_ no OnDone() may come
  StartRead(&reply_);
  StartCall();
}

void PeerStream::Send(std::vector<QueuedItem> items) {
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    for (QueuedItem& item : items) {
      queued_bytes_ += item.request.size();
      queue_.push_back(std::move(item));
    }
  }
  WriteNext();
}

std::size_t PeerStream::queued_bytes() const {
  const MutexLock lock(mutex_);
  return queued_bytes_;
}

void PeerStream::WriteNext() {
  const TimePoint now = scheduler_.Now();
  std::vector<QueuedItem> items;
  {
    const MutexLock lock(mutex_);
    if (writing_ || ended_) return;
    while (!queue_.empty() && items.empty()) {
      items = TakeBatchLocked();
      std::erase_if(items, [now](const QueuedItem& item) { return item.end <= now; });
    }
    if (items.empty()) return;
    writing_ = true;  // now the write and its buffer are this thread's until OnWriteDone()
  }
  batch_ = Encode(items, now);
  writes_.Increment();
  StartWrite(&batch_);
}

std::vector<QueuedItem> PeerStream::TakeBatchLocked() {
  std::vector<QueuedItem> items;
  std::size_t bytes = 0;
  while (!queue_.empty() && items.size() < kMaxItemsPerBatch) {
    QueuedItem& next = queue_.front();
    bytes += next.request.size() + kItemOverhead;
    if (bytes > kMaxRequestBytes && !items.empty()) break;
    queued_bytes_ -= next.request.size();
    items.push_back(std::move(next));
    queue_.pop_front();
  }
  return items;
}

void PeerStream::OnWriteDone(bool /*ok*/) {  // not ok: the read tells of the end
  bool ended = false;
  {
    const MutexLock lock(mutex_);
    writing_ = false;
    ended = ended_;
  }
  ended ? RemoveHold() : WriteNext();
}

void PeerStream::OnReadDone(bool ok) {
  if (ok) {
    news_->Push({shared_from_this(), std::exchange(reply_, {}), {}});
    StartRead(&reply_);
    return;
  }
  bool writing = false;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    queue_.clear();
    queued_bytes_ = 0;
    writing = writing_;
  }
  if (!writing) RemoveHold();  // else when the write has ended
}

void PeerStream::OnDone(const grpc::Status& status) {
  news_->Push({std::move(self_), std::nullopt, status});
}

}  // namespace minichat::relay
