#include "relay/stream_lane.h"

#include <algorithm>
#include <chrono>

#include "server/base/log.h"

namespace minichat::relay {
namespace {

using std::chrono::milliseconds;

// Shorter than the breaker's longest wait: this is for peers that end each stream at once.
constexpr BackoffOptions kReconnect{milliseconds(50), milliseconds(500)};

}  // namespace

StreamLane::StreamLane(Scheduler& scheduler, std::size_t max_waiting_bytes, OpenStream open,
                       PartEnded ended)
    : scheduler_(scheduler),
      max_waiting_bytes_(max_waiting_bytes),
      open_(std::move(open)),
      ended_(std::move(ended)),
      backoff_(scheduler, kReconnect) {}

StreamLane::~StreamLane() {
  if (stream_) stream_->Cancel();
}

bool StreamLane::HasRoomFor(std::size_t bytes) const {
  const std::size_t waiting = pending_bytes_ + (stream_ ? stream_->queued_bytes() : 0);
  return waiting + bytes <= max_waiting_bytes_;
}

void StreamLane::Start(RelayPart part, std::string request, TimePoint end) {
  const std::uint64_t id = next_id_++;
  items_.emplace(id, Item{std::move(part), end});
  ends_.emplace_back(end, id);
  std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
  Arm(end);
  pending_bytes_ += request.size();
  pending_.push_back({id, end, std::move(request)});
  if (std::exchange(flush_posted_, true)) return;
  scheduler_.Post([weak = weak_from_this()] {
    if (const auto lane = weak.lock()) lane->Flush();
  });
}

void StreamLane::Flush() {
  flush_posted_ = false;
  pending_bytes_ = 0;
  std::vector<QueuedItem> pending = std::exchange(pending_, {});
  if (pending.empty()) return;  // the lane was broken meanwhile
  if (!stream_) {
    stream_ = open_();
    ++open_streams_;
    answered_ = false;
  }
  stream_->Send(std::move(pending));
}

void StreamLane::OnNews(StreamNews& news) {
  if (news.reply) return OnReply(*news.reply);
  --open_streams_;
  if (news.stream == stream_) OnStreamEnd(news.status);
}

void StreamLane::OnReply(const v1::StreamReply& reply) {
  answered_ = true;
  backoff_.Reset();
  for (const v1::StreamResult& result : reply.results()) {
    auto item = items_.extract(result.item());
    if (item.empty()) continue;  // too late: it has ended
    ended_(item.mapped().part, static_cast<grpc::StatusCode>(result.code()), result.results());
  }
}

void StreamLane::OnStreamEnd(const grpc::Status& status) {
  stream_.reset();
  if (!answered_) not_before_ = scheduler_.Now() + backoff_.Next();
  // A peer has no reason to end a stream with OK, but then too its items have no answer.
  const auto code = status.ok() ? grpc::StatusCode::UNAVAILABLE : status.error_code();
  log::Info("relay_stream_ended", {{"code", static_cast<int>(code)}});
  EndBelow(pending_.empty() ? next_id_ : pending_.front().id, code);
}

void StreamLane::Break() {
  if (stream_) stream_->Cancel();
  stream_.reset();
  pending_.clear();
  pending_bytes_ = 0;
  EndBelow(next_id_, grpc::StatusCode::CANCELLED);
}

void StreamLane::Close() {
  Break();
  scheduler_.Cancel(timer_);
}

void StreamLane::EndBelow(std::uint64_t id, grpc::StatusCode code) {
  std::vector<RelayPart> parts;
  for (auto it = items_.begin(); it != items_.end();) {
    if (it->first >= id) {
      ++it;
      continue;
    }
    parts.push_back(std::move(it->second.part));
    it = items_.erase(it);
  }
  for (RelayPart& part : parts) ended_(part, code, {});
}

void StreamLane::Arm(TimePoint first) {
  if (timer_ != 0 && timer_for_ <= first) return;
  if (timer_ != 0) scheduler_.Cancel(timer_);
  timer_for_ = first;
  timer_ = scheduler_.RunAfter(first - scheduler_.Now(), [weak = weak_from_this()] {
    if (const auto lane = weak.lock()) lane->OnTimer();
  });
}

void StreamLane::OnTimer() {
  timer_ = 0;
  const TimePoint now = scheduler_.Now();
  std::vector<RelayPart> late;
  while (!ends_.empty()) {
    const auto [end, id] = ends_.front();
    const auto item = items_.find(id);
    const bool ended = item == items_.end();
    if (!ended && end > now) break;
    if (!ended) {
      late.push_back(std::move(item->second.part));
      items_.erase(item);
    }
    std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
    ends_.pop_back();
  }
  if (!ends_.empty()) Arm(ends_.front().first);
  for (RelayPart& part : late) ended_(part, grpc::StatusCode::DEADLINE_EXCEEDED, {});
}

}  // namespace minichat::relay
