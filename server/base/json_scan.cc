#include "server/base/json_scan.h"

namespace minichat {
namespace {

// Index of the quote that ends the string which starts at `begin`.
std::size_t EndOfString(std::string_view json, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < json.size() && json[i] != '"') i += json[i] == '\\' ? 2 : 1;
  return i;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Walks over the structural characters, those outside of strings.
template <class OnString, class OnCharacter>
void Walk(std::string_view json, OnString on_string, OnCharacter on_character) {
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      const std::size_t end = EndOfString(json, i);
      on_string(i + 1, end);
      i = end;
    } else {
      on_character(i);
    }
  }
}

}  // namespace

std::vector<RawMember> ScanMembers(std::string_view json) {
  std::vector<RawMember> members;
  int depth = 0;
  bool in_value = false;
  std::size_t value_begin = 0;
  std::string_view key;
  const auto end_member = [&](std::size_t end) {
    if (!in_value) return;
    members.push_back({key, Trim(json.substr(value_begin, end - value_begin))});
    in_value = false;
  };
  Walk(
      json,
      [&](std::size_t begin, std::size_t end) {
        if (depth == 1 && !in_value) key = json.substr(begin, end - begin);
      },
      [&](std::size_t i) {
        const char c = json[i];
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c == ':' && depth == 1) {
          in_value = true;
          value_begin = i + 1;
        }
        if ((c == ',' && depth == 1) || (c == '}' && depth == 0)) end_member(i);
      });
  return members;
}

std::size_t CountMembers(std::string_view json) {
  std::size_t colons = 0;
  Walk(
      json, [](std::size_t, std::size_t) {},
      [&](std::size_t i) {
        if (json[i] == ':') ++colons;
      });
  return colons;
}

bool HasEscapedNul(std::string_view json) {
  bool found = false;
  Walk(
      json,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (json[i] != '\\') continue;
          if (json.substr(i, 6) == "\\u0000") found = true;
          ++i;
        }
      },
      [](std::size_t) {});
  return found;
}

}  // namespace minichat
