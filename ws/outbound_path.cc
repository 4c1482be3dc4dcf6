#include "ws/outbound_path.h"

#include <algorithm>
#include <utility>

#include "server/base/check.h"

namespace minichat::ws {
namespace {

iovec PartOf(const std::string& bytes, std::size_t offset = 0) {
  // iovec is also for reading; a write leaves the bytes alone.
  return {const_cast<char*>(bytes.data()) + offset, bytes.size() - offset};
}

}  // namespace

void OutboundPath::Push(Frame frame, Clock::time_point now) {
  if (closed_ || broken_) return level_.Remove(frame->size());
  bytes_ += frame->size();
  messages_.Push(std::move(frame), now);
}

void OutboundPath::PushLatest(std::string_view key, Frame frame) {
  if (closed_ || broken_) return;
  if (!level_.IsBelowHalf() || latest_.Put(key, std::move(frame))) shed_.Increment();
}

OutboundPath::Ticket OutboundPath::PushControl(Frame bytes, Clock::time_point now) {
  CHECK(!bytes->empty());
  if (closed_ || broken_) return control_in_;
  if (IsCloseFrame(*bytes)) {
    Shed();
    closed_ = true;
  }
  control_.Push(std::move(bytes), now);
  return ++control_in_;
}

bool OutboundPath::Flush(Writer& writer, Clock::time_point now) {
  Parts parts;
  std::size_t bytes = 0;
  while (const std::size_t count = Gather(&parts, &bytes)) {
    const std::optional<std::size_t> written = writer.Write({parts.data(), count});
    if (!written) {
      Break();
      return true;
    }
    Consume(*written, now);
    if (*written < bytes) break;  // asking again would only cost a call
  }
  Account();
  return empty();
}

void OutboundPath::Shed() {
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    out_bytes_ += messages_[i].frame->size();
    ++out_frames_;
  }
  messages_.Clear();
  latest_.Clear();
  Account();
}

void OutboundPath::Break() {
  broken_ = true;
  if (partial_.frame && partial_.lane == Lane::kMessage) {
    out_bytes_ += partial_.frame->size();
    ++out_frames_;
  }
  partial_ = {};
  control_.Clear();
  Shed();
}

bool OutboundPath::has_control() const {
  return !control_.empty() || (partial_.frame && partial_.lane == Lane::kControl);
}

bool OutboundPath::empty() const {
  return !partial_.frame && control_.empty() && messages_.empty() && latest_.empty();
}

bool OutboundPath::Overflows() const {
  return bytes_ > limits_.bytes || messages_.size() > limits_.frames;
}

bool OutboundPath::Exceeds(Clock::time_point now) const {
  if (Overflows()) return true;
  Clock::time_point since;
  if (!OldestSince(&since)) return false;
  if (level_.catching_up()) since = std::max(since, last_out_);
  return now - since > limits_.age;
}

// Presence and typing may wait for ever, until they are half out.
bool OutboundPath::OldestSince(Clock::time_point* since) const {
  *since = Clock::time_point::max();
  if (partial_.frame) *since = partial_.since;
  if (!control_.empty()) *since = std::min(*since, control_.front().since);
  if (!messages_.empty()) *since = std::min(*since, messages_.front().since);
  return *since != Clock::time_point::max();
}

std::size_t OutboundPath::Gather(Parts* parts, std::size_t* bytes) const {
  std::size_t count = 0;
  *bytes = 0;
  const auto add = [&](const std::string& frame, std::size_t offset) {
    if (count == kMaxParts) return;
    (*parts)[count++] = PartOf(frame, offset);
    *bytes += frame.size() - offset;
  };
  if (partial_.frame) add(*partial_.frame, partial_.offset);
  for (std::size_t i = 0; i < control_.size() && count < kMaxParts; ++i) add(*control_[i].frame, 0);
  for (std::size_t i = 0; i < messages_.size() && count < kMaxParts; ++i) {
    add(*messages_[i].frame, 0);
  }
  for (std::size_t i = 0; i < latest_.size() && count < kMaxParts; ++i) add(*latest_[i], 0);
  return count;
}

// In Gather()'s order.
void OutboundPath::Consume(std::size_t bytes, Clock::time_point now) {
  ConsumePartial(&bytes, now);
  ConsumeQueue(control_, Lane::kControl, &bytes, now);
  ConsumeQueue(messages_, Lane::kMessage, &bytes, now);
  ConsumeLatest(&bytes, now);
  CHECK(bytes == 0);  // the writer took more than it was given
}

void OutboundPath::ConsumePartial(std::size_t* bytes, Clock::time_point now) {
  if (!partial_.frame) return;
  const std::size_t size = partial_.frame->size();
  const std::size_t taken = std::min(*bytes, size - partial_.offset);
  *bytes -= taken;
  partial_.offset += taken;
  if (partial_.offset < size) return;
  CountOut(partial_.lane, size, now);
  partial_ = {};
}

void OutboundPath::ConsumeQueue(FrameQueue& queue, Lane lane, std::size_t* bytes,
                                Clock::time_point now) {
  std::size_t whole = 0;
  for (; whole < queue.size() && queue[whole].frame->size() <= *bytes; ++whole) {
    const std::size_t size = queue[whole].frame->size();
    *bytes -= size;
    CountOut(lane, size, now);
  }
  queue.Pop(whole);
  if (*bytes == 0 || queue.empty()) return;
  partial_ = {std::move(queue.front().frame), *bytes, lane, queue.front().since};
  queue.Pop(1);
  *bytes = 0;
}

void OutboundPath::ConsumeLatest(std::size_t* bytes, Clock::time_point now) {
  std::size_t whole = 0;
  for (; whole < latest_.size() && latest_[whole]->size() <= *bytes; ++whole) {
    *bytes -= latest_[whole]->size();
  }
  Frame half;
  if (*bytes > 0 && whole < latest_.size()) half = latest_[whole];
  latest_.Pop(whole + (half ? 1 : 0));
  if (!half) return;
  partial_ = {std::move(half), *bytes, Lane::kLatest, now};
  *bytes = 0;
}

void OutboundPath::CountOut(Lane lane, std::size_t bytes, Clock::time_point now) {
  last_out_ = now;
  if (lane == Lane::kControl) ++control_out_;
  if (lane != Lane::kMessage) return;
  out_bytes_ += bytes;
  ++out_frames_;
}

// Once for all that left: the level and the gauge are shared with other threads.
void OutboundPath::Account() {
  if (out_frames_ > 0) level_.Remove(out_bytes_, out_frames_);
  bytes_ -= out_bytes_;
  out_bytes_ = out_frames_ = 0;
  if (bytes_ == told_) return;
  total_bytes_.Increment(static_cast<double>(bytes_) - static_cast<double>(told_));
  told_ = bytes_;
}

}  // namespace minichat::ws
