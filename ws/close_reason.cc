#include "ws/close_reason.h"

#include "server/base/check.h"

namespace minichat::ws {

const std::vector<CloseReasonInfo>& CloseReasons() {
  static const std::vector<CloseReasonInfo> kReasons = {
      {CloseReason::kNormal, 1000, "normal", false, "The client ended the session."},
      {CloseReason::kGoingAway, 1001, "going_away", false,
       "The client's page or program went away."},
      {CloseReason::kProtocolError, 1002, "protocol_error", false,
       "The bytes are not WebSocket frames of RFC 6455."},
      {CloseReason::kBinaryFrame, 1003, "binary_frame", false,
       "A binary frame came; this protocol has text frames only."},
      {CloseReason::kConnectionLost, 1006, "connection_lost", true,
       "The TCP connection ended without a close frame. Never on the wire."},
      {CloseReason::kBadUtf8, 1007, "bad_utf8", false, "A text frame is not UTF-8."},
      {CloseReason::kFrameTooLarge, 1009, "frame_too_large", false,
       "A frame is over limits.frame_bytes."},
      {CloseReason::kDraining, 1012, "draining", true,
       "The node restarts. Reconnect as its bye frame says, to any node, and resume."},
      {CloseReason::kNoHello, 4000, "no_hello", true, "No hello came within 10 s."},
      {CloseReason::kBadHello, 4001, "bad_hello", false,
       "The first frame was not a valid hello, or hello was refused. An error frame came first."},
      {CloseReason::kSilent, 4002, "silent", true,
       "Nothing, not even a pong, came for twice ping_ms."},
      {CloseReason::kOverloaded, 4003, "overloaded", true,
       "The node has as many sessions as it takes, in all or of this user, or has no memory left "
       "for more. Try another node."},
      {CloseReason::kTokenExpired, 4004, "token_expired", true,
       "The session's token has expired. Reconnect with a new one, and resume."},
      {CloseReason::kTokenRevoked, 4005, "token_revoked", false,
       "The session's token was revoked. Reconnect with one that was issued later."},
      {CloseReason::kKicked, 4006, "kicked", false, "An operator ended the session."},
      {CloseReason::kSlowReader, 4008, "slow_reader", true,
       "The client did not read what was sent to it. Reconnect and resume."},
  };
  return kReasons;
}

const CloseReasonInfo& InfoOf(CloseReason reason) {
  for (const CloseReasonInfo& info : CloseReasons()) {
    if (info.reason == reason) return info;
  }
  CHECK(false && "every reason is in the table");
}

CloseReason ReasonOfPeerCode(std::uint16_t code) {
  return code == InfoOf(CloseReason::kGoingAway).code ? CloseReason::kGoingAway
                                                      : CloseReason::kNormal;
}

CloseReason ReasonOfOwnCode(std::uint16_t code) {
  for (const CloseReason reason :
       {CloseReason::kProtocolError, CloseReason::kBadUtf8, CloseReason::kFrameTooLarge}) {
    if (InfoOf(reason).code == code) return reason;
  }
  return ReasonOfPeerCode(code);
}

}  // namespace minichat::ws
