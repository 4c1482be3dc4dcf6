#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace minichat::ws {

// Why a WebSocket connection ends. One table: code on the wire, metric label, what the client
// should do; docs/protocol.md is checked against it.
enum class CloseReason {
  kNormal,
  kGoingAway,
  kProtocolError,
  kBinaryFrame,
  kConnectionLost,
  kBadUtf8,
  kFrameTooLarge,
  kDraining,
  kNoHello,
  kBadHello,
  kSilent,
  kOverloaded,
  kTokenExpired,
  kTokenRevoked,
  kKicked,
  kSlowReader,
};

struct CloseReasonInfo {
  CloseReason reason;
  std::uint16_t code;
  std::string_view name;  // metric label, and the reason in the close frame
  bool reconnect;         // should the client come back by itself?
  std::string_view why;   // for the document
};

const std::vector<CloseReasonInfo>& CloseReasons();
const CloseReasonInfo& InfoOf(CloseReason reason);
// What a close code that came from the client counts as; none of the table: kNormal.
CloseReason ReasonOfPeerCode(std::uint16_t code);
// What a close code that Beast chose, or sent back, counts as.
CloseReason ReasonOfOwnCode(std::uint16_t code);

}  // namespace minichat::ws
