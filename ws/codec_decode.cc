#include <algorithm>
#include <array>

#include <boost/json/value.hpp>

#include "server/base/json_writer.h"
#include "server/base/utf8.h"
#include "server/core/ports/authenticator.h"
#include "server/wire/json_fields.h"
#include "ws/codec.h"

namespace minichat::ws {
namespace {

namespace json = boost::json;
using core::ErrorCode;
using core::Seq;
using wire::JsonDocument;
using wire::JsonFields;
using wire::ViewOf;

core::RoomId ReadRoom(JsonFields& fields) {
  return core::RoomId(fields.Id("room"));
}

std::vector<std::pair<core::RoomId, Seq>> ReadResume(JsonFields& fields) {
  std::vector<std::pair<core::RoomId, Seq>> rooms;
  const json::value* value = fields.Find("resume");
  if (value == nullptr) return rooms;
  if (!value->is_object()) {
    fields.Fail("resume", "must be an object of room: seq");
    return rooms;
  }
  for (const auto& member : value->get_object()) {
    const std::string_view room(member.key().data(), member.key().size());
    const auto seq = wire::ToSafeNumber(member.value());
    if (!IsId(room)) {
      fields.Fail("resume", std::string("each room ") + wire::kIdRule);
    } else if (!seq) {
      fields.Fail("resume." + std::string(room), wire::kSeqRule);
    } else {
      rooms.emplace_back(core::RoomId(std::string(room)), *seq);
    }
  }
  return rooms;
}

Op ReadHello(JsonFields& fields) {
  Hello hello;
  if (fields.Has("user")) hello.user = core::UserId(fields.Id("user"));
  if (fields.Has("token")) hello.token = fields.Text("token", core::kMaxTokenBytes);
  hello.resume = ReadResume(fields);
  return hello;
}

Op ReadJoin(JsonFields& fields) {
  Join join;
  join.room = ReadRoom(fields);
  join.since = fields.Number("since");
  return join;
}

Op ReadLeave(JsonFields& fields) {
  return Leave{ReadRoom(fields)};
}

Op ReadSend(JsonFields& fields) {
  core::RoomId room = ReadRoom(fields);
  core::SendRequest request = wire::ReadMessage(fields);
  request.room = std::move(room);
  return Send{std::move(request)};
}

static_assert(kMaxHistoryLimit == 200 && kMaxWhoLimit == 200);  // as the rule says

void ReadLimit(JsonFields& fields, std::size_t* limit) {
  if (!fields.Has("limit")) return;
  const auto given = fields.Number("limit");
  if (!given || *given == 0 || *given > 200) {
    fields.Fail("limit", "must be a whole number from 1 to 200");
  } else {
    *limit = *given;
  }
}

Op ReadHistory(JsonFields& fields) {
  core::HistoryRequest request;
  request.room = ReadRoom(fields);
  request.after = fields.Number("after");
  request.before = fields.Number("before");
  if (request.after && request.before) fields.Fail("before", "can't stand beside after");
  ReadLimit(fields, &request.limit);
  return History{std::move(request)};
}

Op ReadWho(JsonFields& fields) {
  core::WhoRequest request;
  request.room = ReadRoom(fields);
  if (fields.Has("after")) request.after = core::UserId(fields.Id("after"));
  ReadLimit(fields, &request.limit);
  return Who{std::move(request)};
}

Op ReadTyping(JsonFields& fields) {
  return Typing{ReadRoom(fields)};
}

Op ReadRefresh(JsonFields& fields) {
  return Refresh{fields.Text("token", core::kMaxTokenBytes)};
}

Op ReadPing(JsonFields&) {
  return Ping{};
}

struct OpEntry {
  std::string_view name;
  Op (*read)(JsonFields&);
};

constexpr std::array<OpEntry, 9> kOps = {{{"hello", ReadHello},
                                          {"join", ReadJoin},
                                          {"leave", ReadLeave},
                                          {"send", ReadSend},
                                          {"history", ReadHistory},
                                          {"who", ReadWho},
                                          {"typing", ReadTyping},
                                          {"refresh", ReadRefresh},
                                          {"ping", ReadPing}}};

BadFrame Bad(std::string rid, std::string message) {
  return {std::move(rid), {ErrorCode::kBadRequest, std::move(message), std::nullopt}};
}

std::string UnknownOp(std::string_view op) {
  std::string message = "op: unknown";
  if (IsId(op)) message += " \"" + std::string(op) + "\"";
  message += "; must be one of";
  for (const OpEntry& entry : kOps) message.append(" ").append(entry.name).append(",");
  message.pop_back();
  return message;
}

// Why the request id can't be used; empty: `*rid` is its JSON text, or there is none.
std::string_view ReadRid(const json::object& object, std::string* rid) {
  const json::value* value = object.if_contains("rid");
  if (value == nullptr) return {};
  constexpr auto kLimit = static_cast<std::int64_t>(core::kMaxSeq);
  if (const auto* number = value->if_int64()) {
    if (*number < -kLimit || *number > kLimit) return "must be within 2^53";
    *rid = std::to_string(*number);
    return {};
  }
  const auto* text = value->if_string();
  if (text == nullptr) return "must be a whole number within 2^53 or a string";
  if (text->size() > kMaxIdBytes) return "must be at most 64 bytes";
  if (!IsCleanUtf8(ViewOf(*text))) return "must be UTF-8 without U+0000";
  AppendJsonString(*rid, ViewOf(*text));
  return {};
}

DecodedFrame ReadFrame(const JsonDocument& document) {
  const json::object& object = document.object();
  std::string rid;
  const std::string_view bad_rid = ReadRid(object, &rid);
  if (const std::string fault = document.Fault(); !fault.empty()) {
    return Bad(std::move(rid), "frame: " + fault);
  }
  if (!bad_rid.empty()) return Bad("", "rid: " + std::string(bad_rid));
  const json::value* op = object.if_contains("op");
  if (op == nullptr) return Bad(std::move(rid), "op: is missing");
  if (!op->is_string()) return Bad(std::move(rid), "op: must be a string");
  const std::string_view name = ViewOf(op->get_string());
  const auto entry = std::find_if(kOps.begin(), kOps.end(),
                                  [&](const OpEntry& candidate) { return candidate.name == name; });
  if (entry == kOps.end()) return Bad(std::move(rid), UnknownOp(name));
  const std::string prefix = std::string(name) + ".";
  JsonFields fields(prefix, document);
  Op read = entry->read(fields);
  if (fields.error()) return BadFrame{std::move(rid), *fields.error()};
  return ClientFrame{std::move(rid), std::move(read)};
}

}  // namespace

std::vector<std::string_view> ClientOps() {
  std::vector<std::string_view> names;
  names.reserve(kOps.size());
  for (const OpEntry& entry : kOps) names.push_back(entry.name);
  return names;
}

DecodedFrame DecodeFrame(std::string_view text) {
  if (text.size() > kMaxFrameBytes) {
    return BadFrame{"", {ErrorCode::kTooLarge, "frame: must be at most 65536 bytes", std::nullopt}};
  }
  const JsonDocument document(text);
  if (!document.trouble().empty()) return Bad("", "frame: " + document.trouble());
  return ReadFrame(document);
}

}  // namespace minichat::ws
