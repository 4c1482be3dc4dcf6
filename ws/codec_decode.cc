#include <algorithm>
#include <array>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "server/base/json_scan.h"
#include "server/base/json_writer.h"
#include "server/base/utf8.h"
#include "server/core/ports/authenticator.h"
#include "ws/codec.h"

namespace minichat::ws {
namespace {

namespace json = boost::json;
using core::ClientError;
using core::ErrorCode;
using core::Seq;

constexpr const char* kIdRule = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : @ -";
constexpr const char* kSeqRule = "must be a whole number from 0 to 9007199254740991";

std::string_view View(const json::string& text) {
  return {text.data(), text.size()};
}

std::string_view View(json::string_view text) {
  return {text.data(), text.size()};
}

// A non-negative integer of JSON's safe range; nothing when `value` is anything else.
std::optional<std::uint64_t> ToSafeNumber(const json::value& value) {
  std::uint64_t number = 0;
  if (const auto* u = value.if_uint64()) {
    number = *u;
  } else if (const auto* i = value.if_int64(); i != nullptr && *i >= 0) {
    number = static_cast<std::uint64_t>(*i);
  } else {
    return std::nullopt;
  }
  if (number > core::kMaxSeq) return std::nullopt;
  return number;
}

// The fields of one operation, read one after the other; the first thing that is wrong is kept.
class Fields {
 public:
  Fields(std::string_view op, const json::object& object) : op_(op), object_(object) {}

  const json::value* Find(std::string_view name) const {
    return object_.if_contains(json::string_view(name.data(), name.size()));
  }

  std::string Id(std::string_view name) {
    const json::value* value = Find(name);
    if (value == nullptr) return Fail(name, "is missing"), "";
    if (!value->is_string()) return Fail(name, "must be a string"), "";
    const std::string_view id = View(value->get_string());
    if (!IsId(id)) return Fail(name, kIdRule), "";
    return std::string(id);
  }

  core::RoomId Room() { return core::RoomId(Id("room")); }

  std::string Token() {
    const json::value* value = Find("token");
    if (value == nullptr) return Fail("token", "is missing"), "";
    if (!value->is_string()) return Fail("token", "must be a string"), "";
    const std::string_view token = View(value->get_string());
    if (token.size() > core::kMaxTokenBytes) {
      return Fail("token", "must be at most 4096 bytes", ErrorCode::kTooLarge), "";
    }
    return std::string(token);
  }

  std::optional<std::uint64_t> Number(std::string_view name) {
    const json::value* value = Find(name);
    if (value == nullptr) return std::nullopt;
    const auto number = ToSafeNumber(*value);
    if (!number) Fail(name, kSeqRule);
    return number;
  }

  bool Flag(std::string_view name) {
    const json::value* value = Find(name);
    if (value == nullptr) return false;
    if (!value->is_bool()) return Fail(name, "must be true or false"), false;
    return value->get_bool();
  }

  void Fail(std::string_view name, std::string_view rule, ErrorCode code = ErrorCode::kBadRequest) {
    if (error_) return;
    error_ = ClientError{
        code, std::string(op_) + '.' + std::string(name) + ": " + std::string(rule), std::nullopt};
  }

  const std::optional<ClientError>& error() const { return error_; }

 private:
  const std::string_view op_;
  const json::object& object_;
  std::optional<ClientError> error_;
};

using Members = std::vector<RawMember>;

std::vector<std::pair<core::RoomId, Seq>> ReadResume(Fields& fields) {
  std::vector<std::pair<core::RoomId, Seq>> rooms;
  const json::value* value = fields.Find("resume");
  if (value == nullptr) return rooms;
  if (!value->is_object()) {
    fields.Fail("resume", "must be an object of room: seq");
    return rooms;
  }
  for (const auto& member : value->get_object()) {
    const std::string_view room = View(member.key());
    const auto seq = ToSafeNumber(member.value());
    if (!IsId(room)) {
      fields.Fail("resume", std::string("each room ") + kIdRule);
    } else if (!seq) {
      fields.Fail("resume." + std::string(room), kSeqRule);
    } else {
      rooms.emplace_back(core::RoomId(std::string(room)), *seq);
    }
  }
  return rooms;
}

Op ReadHello(Fields& fields, const Members&) {
  Hello hello;
  if (fields.Find("user") != nullptr) hello.user = core::UserId(fields.Id("user"));
  if (fields.Find("token") != nullptr) hello.token = fields.Token();
  hello.resume = ReadResume(fields);
  return hello;
}

Op ReadJoin(Fields& fields, const Members&) {
  Join join;
  join.room = fields.Room();
  join.since = fields.Number("since");
  return join;
}

Op ReadLeave(Fields& fields, const Members&) {
  return Leave{fields.Room()};
}

std::string_view SliceOf(std::string_view key, const Members& members) {
  const auto it = std::find_if(members.begin(), members.end(),
                               [&](const RawMember& member) { return member.key == key; });
  return it == members.end() ? std::string_view() : it->value;
}

void CheckBodySize(Fields& fields, std::string_view name, std::size_t bytes) {
  if (bytes <= kMaxBodyBytes) return;
  fields.Fail(name, "must be at most 4096 bytes, is " + std::to_string(bytes),
              ErrorCode::kTooLarge);
}

void ReadBody(Fields& fields, const Members& members, core::SendRequest* request) {
  const json::value* text = fields.Find("text");
  const json::value* data = fields.Find("data");
  if (text != nullptr && data != nullptr) {
    fields.Fail("text", "can't stand beside data");
  } else if (text == nullptr && data == nullptr) {
    fields.Fail("text", "is missing (or data)");
  } else if (data != nullptr) {
    request->kind = core::BodyKind::kData;
    const std::string_view slice = SliceOf("data", members);
    if (slice.empty()) fields.Fail("data", "the name must be written without escapes");
    CheckBodySize(fields, "data", slice.size());
    request->body = std::string(slice);
  } else if (!text->is_string()) {
    fields.Fail("text", "must be a string");
  } else {
    CheckBodySize(fields, "text", text->get_string().size());
    request->body = std::string(View(text->get_string()));
  }
}

Op ReadSend(Fields& fields, const Members& members) {
  core::SendRequest request;
  request.room = fields.Room();
  request.cid = core::ClientMessageId(fields.Id("cid"));
  request.resend = fields.Flag("resend");
  ReadBody(fields, members, &request);
  return Send{std::move(request)};
}

Op ReadHistory(Fields& fields, const Members&) {
  core::HistoryRequest request;
  request.room = fields.Room();
  request.after = fields.Number("after");
  request.before = fields.Number("before");
  if (request.after && request.before) fields.Fail("before", "can't stand beside after");
  if (fields.Find("limit") != nullptr) {
    const auto limit = fields.Number("limit");
    if (!limit || *limit == 0 || *limit > kMaxHistoryLimit) {
      fields.Fail("limit", "must be a whole number from 1 to 200");
    } else {
      request.limit = *limit;
    }
  }
  return History{std::move(request)};
}

Op ReadRefresh(Fields& fields, const Members&) {
  return Refresh{fields.Token()};
}

Op ReadPing(Fields&, const Members&) {
  return Ping{};
}

struct OpEntry {
  std::string_view name;
  Op (*read)(Fields&, const Members&);
};

constexpr std::array<OpEntry, 7> kOps = {{{"hello", ReadHello},
                                          {"join", ReadJoin},
                                          {"leave", ReadLeave},
                                          {"send", ReadSend},
                                          {"history", ReadHistory},
                                          {"refresh", ReadRefresh},
                                          {"ping", ReadPing}}};
constexpr std::array<std::string_view, 2> kLaterOps = {"who", "typing"};

BadFrame Bad(std::string rid, std::string message) {
  return {std::move(rid), {ErrorCode::kBadRequest, std::move(message), std::nullopt}};
}

std::string UnknownOp(std::string_view op) {
  if (std::find(kLaterOps.begin(), kLaterOps.end(), op) != kLaterOps.end()) {
    return "op: \"" + std::string(op) + "\" is not in this version";
  }
  std::string message = "op: unknown";
  if (IsId(op)) message += " \"" + std::string(op) + "\"";
  return message + "; must be one of hello, join, leave, send, history, refresh, ping";
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
  if (!IsCleanUtf8(View(*text))) return "must be UTF-8 without U+0000";
  AppendJsonString(*rid, View(*text));
  return {};
}

std::size_t CountDistinct(const json::value& value) {
  std::size_t count = 0;
  if (const auto* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object) count += CountDistinct(member.value());
  } else if (const auto* array = value.if_array()) {
    for (const json::value& element : *array) count += CountDistinct(element);
  }
  return count;
}

// Names what is repeated; empty when nothing is. A parsed object keeps one member per key, so a
// repeated key shows as fewer members than the text has.
std::string RepeatedKey(std::string_view text, const json::value& parsed, const Members& members) {
  if (CountMembers(text) == CountDistinct(parsed)) return "";
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const std::string_view key = members[i].key;
      if (key == members[k].key && IsId(key)) return "\"" + std::string(key) + "\" appears twice";
    }
  }
  return "an object has the same key twice";
}

std::string FirstFault(std::string_view text, const json::value& parsed, const Members& members) {
  if (std::string repeated = RepeatedKey(text, parsed, members); !repeated.empty()) {
    return "frame: " + repeated;
  }
  if (HasEscapedNul(text)) return "frame: U+0000 is not allowed in strings";
  return "";
}

DecodedFrame ReadFrame(std::string_view text, const json::value& parsed) {
  const json::object* object = parsed.if_object();
  if (object == nullptr) return Bad("", "frame: must be a JSON object");
  const Members members = ScanMembers(text);
  std::string rid;
  const std::string_view bad_rid = ReadRid(*object, &rid);
  if (std::string fault = FirstFault(text, parsed, members); !fault.empty()) {
    return Bad(std::move(rid), std::move(fault));
  }
  if (!bad_rid.empty()) return Bad("", "rid: " + std::string(bad_rid));
  const json::value* op = object->if_contains("op");
  if (op == nullptr) return Bad(std::move(rid), "op: is missing");
  if (!op->is_string()) return Bad(std::move(rid), "op: must be a string");
  const std::string_view name = View(op->get_string());
  const auto entry = std::find_if(kOps.begin(), kOps.end(),
                                  [&](const OpEntry& candidate) { return candidate.name == name; });
  if (entry == kOps.end()) return Bad(std::move(rid), UnknownOp(name));
  Fields fields(name, *object);
  Op read = entry->read(fields, members);
  if (fields.error()) return BadFrame{std::move(rid), *fields.error()};
  return ClientFrame{std::move(rid), std::move(read)};
}

std::string Describe(const json::error_code& ec) {
  if (ec == json::error::too_deep) return "frame: nested deeper than 32";
  return "frame: not valid JSON: " + ec.message();
}

}  // namespace

DecodedFrame DecodeFrame(std::string_view text) {
  if (text.size() > kMaxFrameBytes) {
    return BadFrame{"", {ErrorCode::kTooLarge, "frame: must be at most 65536 bytes", std::nullopt}};
  }
  std::array<unsigned char, 4096> buffer;
  json::monotonic_resource memory(buffer.data(), buffer.size());
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code ec;
  const json::value parsed =
      json::parse(json::string_view(text.data(), text.size()), ec, &memory, options);
  if (ec) return Bad("", Describe(ec));
  return ReadFrame(text, parsed);
}

}  // namespace minichat::ws
