#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace minichat {

// Appends `text` as a JSON string with its quotes. `text` must be valid UTF-8.
void AppendJsonString(std::string& out, std::string_view text);

// Writes one JSON object, member by member, without building a tree first.
//
// Threading: thread-compatible.
class JsonObject {
 public:
  JsonObject& Add(std::string_view key, std::string_view value);
  JsonObject& Add(std::string_view key, const char* value) {
    return Add(key, std::string_view(value));
  }
  JsonObject& Add(std::string_view key, std::int64_t value);
  JsonObject& Add(std::string_view key, std::uint64_t value);
  JsonObject& Add(std::string_view key, bool value);
  // `json` is a complete JSON value; it goes in as it is.
  JsonObject& AddRaw(std::string_view key, std::string_view json);
  // Expects about this many bytes.
  JsonObject& Reserve(std::size_t bytes);
  // The object's text. The writer is empty afterwards.
  std::string Take();

 private:
  void Key(std::string_view key);

  std::string text_ = "{";
};

// Joins complete JSON values to an array.
template <class Values>
std::string JsonArray(const Values& values) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ',';
    out += value;
  }
  return out + ']';
}

}  // namespace minichat
