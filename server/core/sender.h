#pragma once

#include <unordered_map>

#include "server/core/fan_out.h"
#include "server/core/hang_detector.h"
#include "server/core/placer.h"

namespace minichat::core {

// A send's way: log, place, ack, fan out. What was logged is made whole also when its sender is
// gone or was answered `unknown`.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Limits:    options.max_waiting_sends under way; above, kOverloaded at once.
class Sender {
 public:
  using Done = Callback<ClientResult<Ack>>;

  Sender(NodeContext& node, Membership& membership, Placer& placer, FanOut& fan_out,
         HangDetector& hang)
      : node_(node), membership_(membership), placer_(placer), fan_out_(fan_out), hang_(hang) {}

  void Send(const UserId& sender, SendRequest request, Done done);
  std::size_t waiting() const { return waiting_; }

 private:
  std::optional<ClientError> RefusalNow(const RoomId& room);
  Task<void> Run(MessagePtr message, bool resend, Done done);
  Task<void> LogThenPlace(MessagePtr message, bool resend, Done done);
  Task<void> PlaceThenFanOut(PlaceJob job, bool answered, Done done);
  void Pause(const RoomId& room);
  void Refuse(const Done& done, ErrorCode code, std::string message);
  void Acknowledge(const Done& done, const Ack& ack, TimePoint started);

  NodeContext& node_;
  Membership& membership_;
  Placer& placer_;
  FanOut& fan_out_;
  HangDetector& hang_;
  std::unordered_map<RoomId, TimePoint> full_rooms_;  // refused until then; one second each
  std::size_t waiting_ = 0;
};

}  // namespace minichat::core
