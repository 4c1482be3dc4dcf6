#include "server/base/json_writer.h"

#include <utility>

namespace minichat {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void AppendEscape(std::string& out, char c) {
  out += '\\';
  switch (c) {
    case '"':
    case '\\':
      out += c;
      return;
    case '\n':
      out += 'n';
      return;
    case '\r':
      out += 'r';
      return;
    case '\t':
      out += 't';
      return;
    default:
      out += "u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[c & 15];
  }
}

bool NeedsEscape(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!NeedsEscape(text[i])) continue;
    out.append(text, plain, i - plain);
    AppendEscape(out, text[i]);
    plain = i + 1;
  }
  out.append(text, plain, text.size() - plain);
  out += '"';
}

JsonObject& JsonObject::Add(std::string_view key, std::string_view value) {
  Key(key);
  AppendJsonString(text_, value);
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key, std::int64_t value) {
  return AddRaw(key, std::to_string(value));
}

JsonObject& JsonObject::Add(std::string_view key, std::uint64_t value) {
  return AddRaw(key, std::to_string(value));
}

JsonObject& JsonObject::Add(std::string_view key, bool value) {
  return AddRaw(key, value ? "true" : "false");
}

JsonObject& JsonObject::AddRaw(std::string_view key, std::string_view json) {
  Key(key);
  text_ += json;
  return *this;
}

JsonObject& JsonObject::Reserve(std::size_t bytes) {
  text_.reserve(bytes);
  return *this;
}

std::string JsonObject::Take() {
  text_ += '}';
  return std::exchange(text_, "{");
}

void JsonObject::Key(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  AppendJsonString(text_, key);
  text_ += ':';
}

}  // namespace minichat
