#include <algorithm>

#include "server/base/json_writer.h"
#include "server/base/utf8.h"
#include "ws/codec.h"
#include "ws/frame.h"

namespace minichat::ws {
namespace {

using core::ClientError;

// An op of kNodeOps; another one doesn't compile.
struct OpName {
  consteval OpName(const char* name) : text(name) {
    if (std::find(kNodeOps.begin(), kNodeOps.end(), text) == kNodeOps.end()) throw name;
  }
  std::string_view text;
};

JsonObject Unasked(OpName op) {
  JsonObject frame;
  frame.Add("op", op.text);
  return frame;
}

JsonObject Reply(OpName op, const std::string& rid) {
  JsonObject reply = Unasked(op);
  if (!rid.empty()) reply.AddRaw("rid", rid);
  return reply;
}

JsonObject MessageObject(const core::PlacedMessage& placed) {
  const core::Message& message = *placed.message;
  JsonObject object;
  object.Reserve(message.body.size() + 320)
      .Add("op", OpName("message").text)
      .Add("room", message.room.value())
      .Add("seq", placed.place.seq)
      .Add("id", message.id.ToText())
      .Add("from", message.sender.value())
      .Add("ts", message.sent_at_ms);
  if (message.kind == core::BodyKind::kText) {
    object.Add("text", message.body);
  } else {
    object.AddRaw("data", message.body);
  }
  return object;
}

std::string Resumed(const Welcome& welcome) {
  JsonObject rooms;
  for (const auto& [room, result] : welcome.resumed) {
    JsonObject entry;
    if (const auto* joined = std::get_if<core::JoinReply>(&result)) {
      entry.Add("recovered", joined->recovered).Add("head", joined->head);
    } else {
      entry.Add("error", core::InfoOf(std::get<ClientError>(result).code).name);
    }
    rooms.AddRaw(room.value(), entry.Take());
  }
  return rooms.Take();
}

// The messages that fit: from the near end of the page, the one next to the reader's cursor.
struct FittingPage {
  std::vector<std::string> messages;  // ascending
  bool cut = false;
  core::Seq far_seq = 0;  // of the kept message that is farthest from the cursor
};

FittingPage CutToSize(const core::HistoryPage& page, bool forward) {
  FittingPage fitting;
  std::size_t bytes = 0;
  const std::size_t count = page.messages.size();
  for (std::size_t i = 0; i < count; ++i) {
    const core::PlacedMessage& placed = page.messages[forward ? i : count - 1 - i];
    std::string text = MessageObject(placed).Take();
    bytes += text.size();
    if (bytes > kMaxHistoryBytes && !fitting.messages.empty()) {
      fitting.cut = true;
      break;
    }
    fitting.far_seq = placed.place.seq;
    fitting.messages.push_back(std::move(text));
  }
  if (!forward) std::reverse(fitting.messages.begin(), fitting.messages.end());
  return fitting;
}

}  // namespace

std::string EncodeWelcome(const std::string& rid, const Welcome& welcome) {
  JsonObject limits;
  limits.Add("text_bytes", std::uint64_t{kMaxBodyBytes})
      .Add("frame_bytes", std::uint64_t{kMaxFrameBytes})
      .Add("rooms", std::uint64_t{welcome.limits.rooms})
      .Add("messages_per_s", std::uint64_t{welcome.limits.messages_per_s});
  JsonObject reply = Reply("welcome", rid);
  reply.Add("session", welcome.session.value())
      .Add("user", welcome.user.value())
      .Add("node", welcome.node.value())
      .Add("server_time", welcome.server_time_ms)
      .Add("ping_ms", welcome.ping_ms);
  if (welcome.expires_ms) reply.Add("expires", *welcome.expires_ms);
  return reply.AddRaw("limits", limits.Take()).AddRaw("resumed", Resumed(welcome)).Take();
}

std::string EncodeJoined(const std::string& rid, const core::JoinReply& reply) {
  return Reply("joined", rid)
      .Add("room", reply.room.value())
      .Add("head", reply.head)
      .Add("cursor", reply.cursor)
      .Add("recovered", reply.recovered)
      .Take();
}

std::string EncodeLeft(const std::string& rid, const core::RoomId& room) {
  return Reply("left", rid).Add("room", room.value()).Take();
}

std::string EncodeRemoved(const core::RoomId& room) {
  return Unasked("left").Add("room", room.value()).Add("reason", "removed").Take();
}

std::string EncodeAck(const std::string& rid, const core::RoomId& room, const core::Ack& ack) {
  return Reply("ack", rid)
      .Add("room", room.value())
      .Add("id", ack.id.ToText())
      .Add("seq", ack.seq)
      .Add("ts", ack.sent_at_ms)
      .Add("duplicate", ack.duplicate)
      .Take();
}

std::string EncodeHistory(const std::string& rid, const core::RoomId& room,
                          const core::HistoryPage& page, bool forward) {
  const FittingPage fitting = CutToSize(page, forward);
  std::optional<core::Seq> next = page.next;
  if (fitting.cut) next = fitting.far_seq;
  return Reply("history", rid)
      .Add("room", room.value())
      .AddRaw("messages", JsonArray(fitting.messages))
      .AddRaw("next", next ? std::to_string(*next) : "null")
      .Take();
}

std::string EncodeWho(const std::string& rid, const core::RoomId& room, const core::WhoPage& page) {
  std::vector<std::string> users;
  users.reserve(page.users.size());
  for (const auto& [user, sessions] : page.users) {
    users.push_back(
        JsonObject().Add("user", user.value()).Add("sessions", std::uint64_t{sessions}).Take());
  }
  JsonObject reply = Reply("who", rid);
  reply.Add("room", room.value()).AddRaw("users", JsonArray(users));
  if (page.next) return reply.Add("next", page.next->value()).Take();
  return reply.AddRaw("next", "null").Take();
}

std::string EncodeRefreshed(const std::string& rid, std::int64_t expires_ms) {
  return Reply("refreshed", rid).Add("expires", expires_ms).Take();
}

std::string EncodePong(const std::string& rid) {
  return Reply("pong", rid).Take();
}

std::string EncodeError(const std::string& rid, const ClientError& error) {
  JsonObject reply = Reply("error", rid);
  reply.Add("code", core::InfoOf(error.code).name).Add("message", error.message);
  if (error.retry_after_ms) reply.Add("retry_after_ms", *error.retry_after_ms);
  return reply.Take();
}

std::string EncodeGap(const core::RoomId& room, core::Seq from, core::Seq to) {
  return Unasked("gap").Add("room", room.value()).Add("from", from).Add("to", to).Take();
}

std::string EncodeBye(std::string_view reason, std::int64_t after_ms, std::int64_t jitter_ms) {
  JsonObject reconnect;
  reconnect.Add("after_ms", after_ms).Add("jitter_ms", jitter_ms);
  return Unasked("bye").Add("reason", reason).AddRaw("reconnect", reconnect.Take()).Take();
}

std::string EncodeMessage(const core::PlacedMessage& placed) {
  return MessageObject(placed).Take();
}

std::string EncodeNotice(core::Notice::Kind kind, const core::RoomId& room,
                         const core::UserId& user) {
  const bool typing = kind == core::Notice::Kind::kTyping;
  JsonObject frame = typing ? Unasked("typing") : Unasked("presence");
  frame.Add("room", room.value()).Add("user", user.value());
  if (!typing) frame.Add("state", kind == core::Notice::Kind::kOnline ? "online" : "offline");
  return frame.Take();
}

std::string JsonEventEncoder::EncodeNotice(core::Notice::Kind kind, const core::RoomId& room,
                                           const core::UserId& user) const {
  return TextFrame(ws::EncodeNotice(kind, room, user));
}

std::string JsonEventEncoder::Encode(const core::PlacedMessage& placed) const {
  return TextFrame(EncodeMessage(placed));
}

}  // namespace minichat::ws
