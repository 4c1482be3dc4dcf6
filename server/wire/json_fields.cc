#include "server/wire/json_fields.h"

#include <algorithm>

#include <boost/json/parser.hpp>

#include "server/base/utf8.h"

namespace minichat::wire {

namespace json = boost::json;
using core::BodyKind;
using core::ClientError;
using core::ErrorCode;
using core::SendRequest;

namespace {

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

void CheckBodySize(JsonFields& fields, std::string_view name, std::size_t bytes) {
  if (bytes <= kMaxBodyBytes) return;
  fields.Fail(name, "must be at most 4096 bytes, is " + std::to_string(bytes),
              ErrorCode::kTooLarge);
}

void ReadData(JsonFields& fields, SendRequest* request) {
  const std::string_view bytes = fields.document().RawValue("data");
  if (bytes.empty()) fields.Fail("data", "the name must be written without escapes");
  CheckBodySize(fields, "data", bytes.size());
  request->kind = BodyKind::kData;
  request->body = std::string(bytes);
}

void ReadText(JsonFields& fields, const json::value& text, SendRequest* request) {
  if (!text.is_string()) return fields.Fail("text", "must be a string");
  CheckBodySize(fields, "text", text.get_string().size());
  request->body = std::string(ViewOf(text.get_string()));
}

}  // namespace

// ---- The document

JsonDocument::JsonDocument(std::string_view text) : text_(text) {
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  std::array<unsigned char, 1024> scratch;
  json::parser parser(json::storage_ptr(), options, scratch.data(), scratch.size());
  parser.reset(&memory_);
  json::error_code ec;
  const std::size_t read = parser.write_some(text.data(), text.size(), ec);
  if (!ec && read < text.size()) ec = json::error::extra_data;
  if (!ec) parsed_ = parser.release();
  if (ec == json::error::too_deep) {
    trouble_ = "nested deeper than 32";
  } else if (ec) {
    trouble_ = "not valid JSON at byte " + std::to_string(read) + ": " + ec.message();
  } else if (!parsed_.is_object()) {
    trouble_ = "must be a JSON object";
  } else {
    members_ = ScanMembers(text);
  }
}

std::string JsonDocument::Fault() const {
  if (std::string repeated = RepeatedKey(); !repeated.empty()) return repeated;
  return HasEscapedNul(text_) ? "U+0000 is not allowed in strings" : "";
}

// A parsed object keeps one member per key, so a repeated key shows as fewer members than the text
// has.
std::string JsonDocument::RepeatedKey() const {
  if (CountMembers(text_) == CountDistinct(parsed_)) return "";
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const std::string_view key = members_[i].key;
      if (key == members_[k].key && IsId(key)) return "\"" + std::string(key) + "\" appears twice";
    }
  }
  return "an object has the same key twice";
}

std::string_view JsonDocument::RawValue(std::string_view key) const {
  const auto it = std::find_if(members_.begin(), members_.end(),
                               [&](const RawMember& member) { return member.key == key; });
  return it == members_.end() ? std::string_view() : it->value;
}

// ---- Its fields

std::string_view ViewOf(const json::string& text) {
  return {text.data(), text.size()};
}

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

const json::value* JsonFields::Find(std::string_view name) const {
  return document_.object().if_contains(json::string_view(name.data(), name.size()));
}

std::string JsonFields::Id(std::string_view name) {
  const std::string id = Text(name, kMaxBodyBytes);
  if (!error_ && !IsId(id)) Fail(name, kIdRule);
  return error_ ? "" : id;
}

std::string JsonFields::Text(std::string_view name, std::size_t max_bytes) {
  const json::value* value = Find(name);
  if (value == nullptr) return Fail(name, "is missing"), "";
  if (!value->is_string()) return Fail(name, "must be a string"), "";
  const std::string_view text = ViewOf(value->get_string());
  if (text.size() <= max_bytes) return std::string(text);
  Fail(name, "must be at most " + std::to_string(max_bytes) + " bytes", ErrorCode::kTooLarge);
  return "";
}

std::vector<std::string> JsonFields::Ids(std::string_view name, std::size_t max) {
  const json::value* value = Find(name);
  if (value == nullptr) return {};
  const json::array* items = value->if_array();
  if (items == nullptr) return Fail(name, "must be an array of ids"), std::vector<std::string>();
  if (items->size() > max) Fail(name, "must be at most " + std::to_string(max) + " ids");
  std::vector<std::string> ids;
  for (const json::value& item : *items) {
    if (!item.is_string() || !IsId(ViewOf(item.get_string()))) {
      return Fail(name, std::string("each ") + kIdRule), std::vector<std::string>();
    }
    ids.emplace_back(ViewOf(item.get_string()));
  }
  return ids;
}

std::optional<std::uint64_t> JsonFields::Number(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = ToSafeNumber(*value);
  if (!number) Fail(name, kSeqRule);
  return number;
}

bool JsonFields::Flag(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return false;
  if (!value->is_bool()) return Fail(name, "must be true or false"), false;
  return value->get_bool();
}

void JsonFields::Fail(std::string_view name, std::string_view rule, core::ErrorCode code) {
  if (error_) return;
  error_ = ClientError{code, std::string(prefix_) + std::string(name) + ": " + std::string(rule),
                       std::nullopt};
}

core::SendRequest ReadMessage(JsonFields& fields) {
  core::SendRequest request;
  request.cid = core::ClientMessageId(fields.Id("cid"));
  request.resend = fields.Flag("resend");
  const json::value* text = fields.Find("text");
  const json::value* data = fields.Find("data");
  if (text != nullptr && data != nullptr) {
    fields.Fail("text", "can't stand beside data");
  } else if (data != nullptr) {
    ReadData(fields, &request);
  } else if (text != nullptr) {
    ReadText(fields, *text, &request);
  } else {
    fields.Fail("text", "is missing (or data)");
  }
  return request;
}

}  // namespace minichat::wire
