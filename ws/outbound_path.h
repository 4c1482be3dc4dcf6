#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/base/metrics.h"
#include "ws/frame.h"
#include "ws/frame_queue.h"
#include "ws/latest_lane.h"
#include "ws/options.h"
#include "ws/outbound_level.h"
#include "ws/writer.h"

namespace minichat::ws {

// What a session has still to write, in three lanes, and how far its present frame has got:
//   control   what Beast and the ping timer write; opaque bytes, each piece whole
//   messages  what the core sends, in its order
//   latest    presence and typing: only the newest of each key, and only when nothing else waits
// A frame that is half out is always finished first; then the lanes follow in this order. Behind a
// close frame nothing goes out any more.
//
// Threading: confined to the session's I/O thread; pure logic, the socket is behind Writer.
// Errors:    a broken connection drops everything; see broken().
// Limits:    OutboundLimits; Push() does not enforce them, Exceeds() tells. Beast has one write
//            under way at a time, so that the control lane is short.
class OutboundPath {
 public:
  using Clock = std::chrono::steady_clock;
  // Numbers control frames, so that their writer can be told once one is out.
  using Ticket = std::uint64_t;

  // `total_bytes`: what turns left behind, over all sessions. `shed`: dropped presence and typing.
  OutboundPath(const OutboundLimits& limits, OutboundLevel& level, Gauge& total_bytes,
               Counter& shed)
      : limits_(limits), level_(level), total_bytes_(total_bytes), shed_(shed) {}
  ~OutboundPath() { Break(); }
  OutboundPath(const OutboundPath&) = delete;
  OutboundPath& operator=(const OutboundPath&) = delete;

  // A message. The level already counts it.
  void Push(Frame frame, Clock::time_point now);
  // Takes the place of a frame with the same key that still waits. Shed first: not taken while half
  // of the limits is in use.
  void PushLatest(std::string_view key, Frame frame);
  // Ahead of all messages. A close frame drops what would come behind it.
  Ticket PushControl(Frame bytes, Clock::time_point now);
  bool IsOut(Ticket ticket) const { return control_out_ >= ticket; }

  // Writes until nothing is left or the writer takes no more. False: something is left.
  bool Flush(Writer& writer, Clock::time_point now);
  // What Flush() does at its end: brings the level and the total up to date. For turns in which the
  // writer need not be asked.
  void Account();
  // Drops messages, presence and typing, but not a frame that is half out.
  void Shed();
  // Drops everything, for good.
  void Break();

  bool has_control() const;
  // Nothing waits, in any lane.
  bool empty() const;
  // The connection broke in Flush(), or Break() was called.
  bool broken() const { return broken_; }
  // Too many or too much.
  bool Overflows() const;
  // That, or the oldest waits for too long. During a catch-up the time counts from
  // the last frame that left: who reads much over a slow line is no slow reader.
  bool Exceeds(Clock::time_point now) const;

 private:
  enum class Lane { kControl, kMessage, kLatest };
  // The frame that is half out.
  struct Partial {
    Frame frame;
    std::size_t offset = 0;
    Lane lane = Lane::kControl;
    Clock::time_point since{};
  };
  static constexpr std::size_t kMaxParts = 128;  // of one system call; the system takes 1,024
  using Parts = std::array<iovec, kMaxParts>;

  std::size_t Gather(Parts* parts, std::size_t* bytes) const;
  void Consume(std::size_t bytes, Clock::time_point now);
  void ConsumePartial(std::size_t* bytes, Clock::time_point now);
  void ConsumeQueue(FrameQueue& queue, Lane lane, std::size_t* bytes, Clock::time_point now);
  void ConsumeLatest(std::size_t* bytes, Clock::time_point now);
  void CountOut(Lane lane, std::size_t bytes, Clock::time_point now);
  bool OldestSince(Clock::time_point* since) const;

  const OutboundLimits& limits_;
  OutboundLevel& level_;
  Gauge& total_bytes_;
  Counter& shed_;
  Partial partial_;
  FrameQueue control_;
  FrameQueue messages_;
  LatestLane latest_;
  Ticket control_in_ = 0;
  Ticket control_out_ = 0;
  std::size_t bytes_ = 0;      // of messages that wait; one that is half out counts whole
  std::size_t told_ = 0;       // how many of them total_bytes_ has
  std::size_t out_bytes_ = 0;  // of messages that left, not yet accounted for
  std::size_t out_frames_ = 0;
  Clock::time_point last_out_{};
  bool closed_ = false;  // a close frame is queued or out
  bool broken_ = false;
};

}  // namespace minichat::ws
