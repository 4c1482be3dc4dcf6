#include "ws/http_head.h"

#include <algorithm>
#include <array>

namespace minichat::ws {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxMethodBytes = 32;
constexpr std::size_t kMaxLengthDigits = 18;
// Of these a second one could be read in place of the first.
constexpr std::array<std::string_view, 8> kSingle = {
    "authorization", "content-length",    "content-type",          "expect",
    "host",          "sec-websocket-key", "sec-websocket-version", "transfer-encoding"};

char ToLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsTokenChar(char c) {
  if (IsDigit(c) || (ToLower(c) >= 'a' && ToLower(c) <= 'z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

bool IsVisible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

// Of a field's value: text, blanks and tabs.
bool IsFieldText(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\t') || byte == 127;
  });
}

bool IsHostText(std::string_view text) {
  return IsVisible(text) && text.find_first_of("/?#@\\,") == std::string_view::npos;
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Takes a line off the front, without its end; nothing when a line isn't ended so.
std::optional<std::string_view> TakeLine(std::string_view* text) {
  const std::size_t end = text->find(kLineEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end + kLineEnd.size());
  return line;
}

std::optional<HttpFault> ReadRequestLine(std::string_view line, const HeadLimits& limits,
                                         HttpHead* head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return HttpFault{400, "not a request line"};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(method) || method.size() > kMaxMethodBytes) {
    return HttpFault{400, "the method is not a name"};
  }
  if (target.size() > limits.target_bytes) {
    return HttpFault{414,
                     "the target is longer than " + std::to_string(limits.target_bytes) + " bytes"};
  }
  if (target.empty() || !IsVisible(target)) {
    return HttpFault{400, "the target holds other characters than visible ASCII"};
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    const bool http = version.substr(0, 5) == "HTTP/";
    return HttpFault{http ? 505 : 400, "this port speaks HTTP/1.1"};
  }
  head->method = method;
  head->target = target;
  head->http11 = version == "HTTP/1.1";
  return std::nullopt;
}

std::optional<HttpFault> ReadField(std::string_view line, HttpHead* head) {
  if (line.front() == ' ' || line.front() == '\t') {
    return HttpFault{400, "a header is folded over two lines"};
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) {
    return HttpFault{400, "a header has no name, or no colon behind it"};
  }
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), ToLower);
  const std::string_view value = Trim(line.substr(colon + 1));
  if (!IsFieldText(value)) return HttpFault{400, name + ": holds a control character"};
  head->fields.emplace_back(std::move(name), std::string(value));
  return std::nullopt;
}

std::optional<HttpFault> FaultOfLength(const HttpHead& head) {
  const std::string* length = head.Find("content-length");
  const std::string* coding = head.Find("transfer-encoding");
  if (length != nullptr && coding != nullptr) {
    return HttpFault{400, "content-length: stands beside transfer-encoding"};
  }
  if (length != nullptr && (length->empty() || length->size() > kMaxLengthDigits ||
                            !std::all_of(length->begin(), length->end(), IsDigit))) {
    return HttpFault{400, "content-length: is not a length"};
  }
  if (coding == nullptr) return std::nullopt;
  if (!head.http11) return HttpFault{400, "transfer-encoding: is not in HTTP/1.0"};
  if (!IsSameAnyCase(*coding, "chunked")) {
    return HttpFault{501, "transfer-encoding: only chunked is understood"};
  }
  return std::nullopt;
}

std::optional<HttpFault> FaultOfFields(const HttpHead& head) {
  for (const std::string_view name : kSingle) {
    if (head.Count(name) > 1) return HttpFault{400, std::string(name) + ": stands there twice"};
  }
  const std::string* host = head.Find("host");
  if (host == nullptr && head.http11) return HttpFault{400, "host: is missing"};
  if (host != nullptr && !IsHostText(*host)) return HttpFault{400, "host: is not a host"};
  const std::string* expect = head.Find("expect");
  if (expect != nullptr && !IsSameAnyCase(*expect, "100-continue")) {
    return HttpFault{417, "expect: only 100-continue is understood"};
  }
  return FaultOfLength(head);
}

template <class Same>
bool ListsBy(std::string_view list, std::string_view wanted, Same same) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (same(Trim(list.substr(0, comma)), wanted)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace

const std::string* HttpHead::Find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [name](const auto& field) { return field.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

std::size_t HttpHead::Count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      fields.begin(), fields.end(), [name](const auto& field) { return field.first == name; }));
}

bool HttpHead::has_body() const {
  const std::string* length = Find("content-length");
  return Find("transfer-encoding") != nullptr ||
         (length != nullptr && length->find_first_not_of('0') != std::string::npos);
}

bool IsSameAnyCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLower(x) == ToLower(y); });
}

bool Lists(std::string_view list, std::string_view wanted) {
  return ListsBy(list, wanted, [](std::string_view a, std::string_view b) { return a == b; });
}

bool ListsAnyCase(std::string_view list, std::string_view wanted) {
  return ListsBy(list, wanted, IsSameAnyCase);
}

std::size_t EndOfHead(std::string_view bytes, std::size_t seen) {
  constexpr std::string_view kBlankLine = "\r\n\r\n";
  const std::size_t begun = kBlankLine.size() - 1;  // so much of it may have been the last of those
  const std::size_t found = bytes.find(kBlankLine, seen - std::min(seen, begun));
  return found == std::string_view::npos ? found : found + kBlankLine.size();
}

std::optional<HttpFault> FaultOfPart(std::string_view bytes, const HeadLimits& limits) {
  const bool in_first_line = bytes.find(kLineEnd) == std::string_view::npos;
  if (in_first_line && bytes.size() > kMaxMethodBytes + limits.target_bytes + 16) {
    return HttpFault{414,
                     "the target is longer than " + std::to_string(limits.target_bytes) + " bytes"};
  }
  if (bytes.size() < limits.bytes) return std::nullopt;
  return HttpFault{431, "the header is larger than " + std::to_string(limits.bytes) + " bytes"};
}

std::variant<HttpHead, HttpFault> ReadHead(std::string_view text, const HeadLimits& limits) {
  HttpHead head;
  const auto first = TakeLine(&text);
  if (!first) return HttpFault{400, "not a request line"};
  if (auto fault = ReadRequestLine(*first, limits, &head)) return std::move(*fault);
  for (auto line = TakeLine(&text); line && !line->empty(); line = TakeLine(&text)) {
    if (head.fields.size() == limits.fields) {
      return HttpFault{431, "more than " + std::to_string(limits.fields) + " headers"};
    }
    if (auto fault = ReadField(*line, &head)) return std::move(*fault);
  }
  if (auto fault = FaultOfFields(head)) return std::move(*fault);
  return head;
}

}  // namespace minichat::ws
