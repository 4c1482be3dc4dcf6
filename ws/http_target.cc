#include "ws/http_target.h"

#include "server/base/utf8.h"

namespace minichat::ws {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool Decode(std::string_view text, bool plus_is_space, std::string* out) {
  out->clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return false;
      const int high = HexValue(text[i + 1]);
      const int low = HexValue(text[i + 2]);
      if (high < 0 || low < 0) return false;
      *out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      *out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return IsCleanUtf8(*out);
}

Status DecodePair(std::string_view pair, std::map<std::string, std::string>* query) {
  const std::size_t equals = pair.find('=');
  std::string key;
  std::string value;
  const bool good =
      Decode(pair.substr(0, equals), true, &key) &&
      (equals == std::string_view::npos || Decode(pair.substr(equals + 1), true, &value));
  if (!good) return InvalidArgument("the query holds a broken escape, or no UTF-8 without NUL");
  const std::string name = IsId(key) ? "\"" + key + "\"" : "a name";
  if (query->emplace(std::move(key), std::move(value)).second) return {};
  return InvalidArgument("the query has " + name + " twice");
}

}  // namespace

Status ParseTarget(std::string_view target, std::string* path,
                   std::map<std::string, std::string>* query) {
  const std::size_t mark = target.find('?');
  if (!Decode(target.substr(0, mark), false, path)) {
    return InvalidArgument("the path holds a broken escape, or no UTF-8 without NUL");
  }
  if (path->empty() || path->front() != '/') {
    return InvalidArgument("the target must begin with /");
  }
  if (mark == std::string_view::npos) return {};
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    if (end != 0) {
      if (Status status = DecodePair(rest.substr(0, end), query); !status.ok()) return status;
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace minichat::ws
