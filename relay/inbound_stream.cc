#include "relay/inbound_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace minichat::relay {
namespace {

v1::StreamResult ResultOf(std::uint64_t item, grpc::StatusCode code) {
  v1::StreamResult result;
  result.set_item(item);
  result.set_code(static_cast<std::uint32_t>(code));
  return result;
}

// One item of a stream. Deletes itself when it has its answer.
class StreamedCall final : public InboundCall {
 public:
  StreamedCall(InboundItem item, Deadline deadline, std::shared_ptr<InboundStream> stream,
               std::shared_ptr<InboundBudget> budget)
      : InboundCall(std::move(item.relay).value(), deadline),
        id_(item.id),
        bytes_(item.bytes),
        stream_(std::move(stream)),
        budget_(std::move(budget)) {}

  void Answer(const std::vector<core::RelayResult>& results) override {
    v1::StreamResult result = ResultOf(id_, grpc::StatusCode::OK);
    for (const core::RelayResult each : results) result.add_results(ToWire(each));
    End(std::move(result));
  }
  void Refuse(grpc::StatusCode code, const char* /*why*/) override { End(ResultOf(id_, code)); }

 private:
  bool cancelled() const override { return stream_->cancelled(); }
  void End(v1::StreamResult result) {
    budget_->GiveBack(bytes_);
    stream_->Reply(std::move(result));
    delete this;
  }

  const std::uint64_t id_;
  const std::size_t bytes_;
  const std::shared_ptr<InboundStream> stream_;
  const std::shared_ptr<InboundBudget> budget_;
};

}  // namespace

bool InboundStreams::Add(std::shared_ptr<InboundStream> stream) {
  const MutexLock lock(mutex_);
  if (!closed_) streams_.insert(std::move(stream));
  return !closed_;
}

void InboundStreams::Remove(const std::shared_ptr<InboundStream>& stream) {
  const MutexLock lock(mutex_);
  streams_.erase(stream);
}

void InboundStreams::CloseAll() {
  std::set<std::shared_ptr<InboundStream>> streams;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    streams = streams_;
  }
  for (const auto& stream : streams) {
    stream->Close(grpc::Status(grpc::StatusCode::UNAVAILABLE, "shutting down"));
  }
}

void InboundStream::Begin() {
  self_ = shared_from_this();
  StartRead(&batch_);
  if (!intake_->streams.Add(self_)) {
    Close(grpc::Status(grpc::StatusCode::UNAVAILABLE, "shutting down"));
  }
}

void InboundStream::OnReadDone(bool ok) {
  if (ok) {
    TakeIn(std::exchange(batch_, {}));
    StartRead(&batch_);
    return;
  }
  {
    const MutexLock lock(mutex_);
    read_all_ = true;
  }
  Advance();
}

void InboundStream::TakeIn(v1::StreamBatch batch) {
  Result<std::vector<InboundItem>> items = DecodeBatch(std::move(batch));
  if (!items.ok()) {
    intake_->metrics.malformed.Increment();
    Close(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, items.status().message()));
    return;
  }
  {
    const MutexLock lock(mutex_);
    unanswered_ += items->size();
  }
  std::vector<InboundCall*> calls;
  calls.reserve(items->size());
  for (InboundItem& item : *items) {
    if (InboundCall* call = Admit(item)) calls.push_back(call);
  }
  if (intake_->arrived->PushAll(calls)) return;
  for (InboundCall* call : calls) call->Refuse(grpc::StatusCode::UNAVAILABLE, "shutting down");
}

InboundCall* InboundStream::Admit(InboundItem& item) {
  if (!item.relay.ok()) {
    intake_->metrics.malformed.Increment();
    Reply(ResultOf(item.id, grpc::StatusCode::INVALID_ARGUMENT));
    return nullptr;
  }
  if (!intake_->budget->TryTake(item.bytes)) {
    intake_->metrics.overflows.Increment();
    Reply(ResultOf(item.id, grpc::StatusCode::RESOURCE_EXHAUSTED));
    return nullptr;
  }
  const Duration budget = std::min(item.budget, intake_->longest_call);
  return new StreamedCall(std::move(item), Deadline::After(intake_->scheduler, budget),
                          shared_from_this(), intake_->budget);
}

void InboundStream::Reply(v1::StreamResult result) {
  bool full = false;
  bool post = false;
  {
    const MutexLock lock(mutex_);
    --unanswered_;
    if (finished_ || cancelled_) return;
    full = waiting_.results_size() >= kMaxWaitingResults;
    if (!full) waiting_.mutable_results()->Add(std::move(result));
    post = !std::exchange(flush_posted_, true);
  }
  if (full) intake_->metrics.overflows.Increment();
  if (post) intake_->scheduler.Post([self = shared_from_this()] { self->Advance(); });
}

void InboundStream::Close(grpc::Status status) {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(closing_, true)) return;
    status_ = std::move(status);
  }
  Advance();
}

void InboundStream::Advance() {
  Step step = Step::kNone;
  grpc::Status status;
  {
    const MutexLock lock(mutex_);
    step = NextLocked();
    status = status_;
  }
  if (step == Step::kWrite) StartWrite(&writing_reply_);
  if (step == Step::kFinish) Finish(std::move(status));
}

InboundStream::Step InboundStream::NextLocked() {
  flush_posted_ = false;
  if (writing_ || finished_) return Step::kNone;
  if (waiting_.results_size() > 0 && !cancelled_) {
    writing_ = true;
    writing_reply_.Clear();
    writing_reply_.Swap(&waiting_);
    return Step::kWrite;
  }
  const bool over = closing_ || cancelled_ || (read_all_ && unanswered_ == 0);
  finished_ = over;
  return over ? Step::kFinish : Step::kNone;
}

void InboundStream::OnWriteDone(bool ok) {
  {
    const MutexLock lock(mutex_);
    writing_ = false;
    if (!ok) cancelled_ = true;
  }
  Advance();
}

void InboundStream::OnCancel() {
  cancelled_ = true;
  Advance();
}

void InboundStream::OnDone() {
  intake_->streams.Remove(self_);
  self_.reset();  // may be the end of this object
}

}  // namespace minichat::relay
