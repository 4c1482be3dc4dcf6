#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "relay/delivery.h"
#include "relay/peer_stream.h"
#include "server/base/backoff.h"
#include "server/base/scheduler.h"

namespace minichat::relay {

// What goes to one node as items of a stream: numbers them, ends each by its result, at its time or
// with its stream, and makes a new stream when there is something to send and none is open.
//
// An item is sent once. What was on a stream that broke has failed: whether it was executed is not
// known (the receiving node's head sweep finds what was not).
//
// Lifetime:  shared with its posted work and timers. After Close() nothing is called back.
// Threading: confined to the core thread.
// Ordering:  the items of one stream arrive in the order they were started.
// Limits:    `max_waiting_bytes` of items that are not written yet.
class StreamLane : public std::enable_shared_from_this<StreamLane> {
 public:
  using OpenStream = std::function<std::shared_ptr<PeerStream>()>;

  StreamLane(Scheduler& scheduler, std::size_t max_waiting_bytes, OpenStream open, PartEnded ended);
  ~StreamLane();

  bool HasRoomFor(std::size_t bytes) const;
  // The last streams ended without a single answer: none is made for a while.
  bool backing_off() const { return !stream_ && scheduler_.Now() < not_before_; }
  // Goes out with all else that this turn of the core thread starts.
  void Start(RelayPart part, std::string request, TimePoint end);

  void OnNews(StreamNews& news);
  // The peer is in trouble: ends the stream and all items, started anew by the next item.
  void Break();
  // As Break(), for good.
  void Close();

  std::size_t items() const { return items_.size(); }
  std::size_t open_streams() const { return open_streams_; }

 private:
  struct Item {
    RelayPart part;
    TimePoint end;
  };
  // The first one on top. Items that have ended stay in it until their time.
  using Ends = std::vector<std::pair<TimePoint, std::uint64_t>>;

  void Flush();
  void Arm(TimePoint first);
  void OnTimer();
  void OnReply(const v1::StreamReply& reply);
  void OnStreamEnd(const grpc::Status& status);
  // All items with smaller ids.
  void EndBelow(std::uint64_t id, grpc::StatusCode code);

  Scheduler& scheduler_;
  const std::size_t max_waiting_bytes_;
  const OpenStream open_;
  const PartEnded ended_;

  std::unordered_map<std::uint64_t, Item> items_;
  std::uint64_t next_id_ = 1;
  std::vector<QueuedItem> pending_;  // of this turn
  std::size_t pending_bytes_ = 0;
  bool flush_posted_ = false;

  std::shared_ptr<PeerStream> stream_;
  std::size_t open_streams_ = 0;  // also those that are being cancelled
  bool answered_ = false;         // the stream has brought an answer
  Backoff backoff_;
  TimePoint not_before_{};

  Ends ends_;
  Scheduler::TimerId timer_ = 0;  // 0: not set
  TimePoint timer_for_{};
};

}  // namespace minichat::relay
