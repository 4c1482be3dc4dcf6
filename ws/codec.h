#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/core/chat_node.h"
#include "server/core/client_error.h"
#include "server/core/ids.h"
#include "server/core/ports/client_link.h"

// The frames of protocol minichat.v1.json (docs/protocol.md): pure functions from text to checked
// operations, and from replies to text.
namespace minichat::ws {

inline constexpr std::string_view kSubprotocol = "minichat.v1.json";
inline constexpr std::size_t kMaxFrameBytes = 64 * 1024;
inline constexpr std::size_t kMaxHistoryLimit = 200;
inline constexpr std::size_t kMaxWhoLimit = 200;
// A history reply holds at most about this many bytes of messages (always at least one message);
// what does not fit is left for the next page.
inline constexpr std::size_t kMaxHistoryBytes = 256 * 1024;

struct Hello {
  std::optional<core::UserId> user;
  std::optional<std::string> token;
  std::vector<std::pair<core::RoomId, core::Seq>> resume;
};
struct Join {
  core::RoomId room;
  std::optional<core::Seq> since;
};
struct Leave {
  core::RoomId room;
};
struct Send {
  core::SendRequest request;
};
struct History {
  core::HistoryRequest request;
};
struct Who {
  core::WhoRequest request;
};
struct Typing {
  core::RoomId room;
};
struct Refresh {
  std::string token;
};
struct Ping {};
using Op = std::variant<Hello, Join, Leave, Send, History, Who, Typing, Refresh, Ping>;

// The names of a client's ops, in this order.
std::vector<std::string_view> ClientOps();

// A client's frame that passed all checks.
struct ClientFrame {
  std::string rid;  // as JSON text, to be sent back; empty: none
  Op op;
};
// One that did not. `rid` is there when it could be read.
struct BadFrame {
  std::string rid;
  core::ClientError error;
};
using DecodedFrame = std::variant<ClientFrame, BadFrame>;

// Checks everything that can be known without the node: form, types, sizes, character sets.
DecodedFrame DecodeFrame(std::string_view text);

// What a node sends, by its op.
inline constexpr std::array<std::string_view, 14> kNodeOps = {
    "welcome", "joined", "left",    "ack",    "history",  "who", "refreshed",
    "pong",    "error",  "message", "typing", "presence", "gap", "bye"};

struct WelcomeLimits {
  std::size_t rooms = 0;
  std::size_t messages_per_s = 0;
};
struct Welcome {
  core::SessionId session;
  core::UserId user;
  core::NodeName node;
  std::int64_t server_time_ms = 0;
  std::int64_t ping_ms = 0;
  std::optional<std::int64_t> expires_ms;  // of the token, if there was one
  WelcomeLimits limits;
  std::vector<std::pair<core::RoomId, core::ClientResult<core::JoinReply>>> resumed;
};

std::string EncodeWelcome(const std::string& rid, const Welcome& welcome);
std::string EncodeJoined(const std::string& rid, const core::JoinReply& reply);
std::string EncodeLeft(const std::string& rid, const core::RoomId& room);
// The session was taken out of the room.
std::string EncodeRemoved(const core::RoomId& room);
std::string EncodeAck(const std::string& rid, const core::RoomId& room, const core::Ack& ack);
// `forward`: the page was asked for with `after`.
std::string EncodeHistory(const std::string& rid, const core::RoomId& room,
                          const core::HistoryPage& page, bool forward);
std::string EncodeWho(const std::string& rid, const core::RoomId& room, const core::WhoPage& page);
std::string EncodeRefreshed(const std::string& rid, std::int64_t expires_ms);
std::string EncodePong(const std::string& rid);
std::string EncodeError(const std::string& rid, const core::ClientError& error);
std::string EncodeGap(const core::RoomId& room, core::Seq from, core::Seq to);
std::string EncodeBye(std::string_view reason, std::int64_t after_ms, std::int64_t jitter_ms);

// `{"op":"message",…}`; the bytes of `data` are the sender's.
std::string EncodeMessage(const core::PlacedMessage& placed);

// `{"op":"presence",…}` or `{"op":"typing",…}`.
std::string EncodeNotice(core::Notice::Kind kind, const core::RoomId& room,
                         const core::UserId& user);

// A message or notice as a whole WebSocket frame: what each of its recipients gets, byte for byte.
class JsonEventEncoder final : public core::EventEncoder {
 public:
  std::string Encode(const core::PlacedMessage& placed) const override;
  std::string EncodeNotice(core::Notice::Kind kind, const core::RoomId& room,
                           const core::UserId& user) const override;
};

}  // namespace minichat::ws
