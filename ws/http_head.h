#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace minichat::ws {

// Why a request is refused before anyone looks at what it asks.
struct HttpFault {
  int status = 400;
  std::string message;
};

struct HeadLimits {
  std::size_t bytes = 16 * 1024;  // of the whole head
  std::size_t target_bytes = 4 * 1024;
  std::size_t fields = 100;
};

// A request's head, strictly read.
struct HttpHead {
  std::string method;
  std::string target;
  bool http11 = true;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case, in their order

  // The first one's value; null when there is none.
  const std::string* Find(std::string_view name) const;
  std::size_t Count(std::string_view name) const;
  bool has_body() const;
};

// Does the list, names with commas between, hold `wanted`? Case counts.
bool Lists(std::string_view list, std::string_view wanted);
// The same, case aside.
bool ListsAnyCase(std::string_view list, std::string_view wanted);
bool IsSameAnyCase(std::string_view a, std::string_view b);

// Where the head ends, behind its blank line; npos while that hasn't come. The first `seen` bytes
// were looked at before.
std::size_t EndOfHead(std::string_view bytes, std::size_t seen = 0);
// What is wrong with a head that hasn't come whole.
std::optional<HttpFault> FaultOfPart(std::string_view bytes, const HeadLimits& limits);
// Takes only what RFC 9112 lets nobody read in two ways: lines end in CRLF, no line is folded,
// names are followed by their colon, Host is there once, what has one value stands there once, and
// there is one way to tell the body's length.
std::variant<HttpHead, HttpFault> ReadHead(std::string_view head, const HeadLimits& limits);

}  // namespace minichat::ws
