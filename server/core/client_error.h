#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace minichat::core {

// What a client is told when a request fails. One table; docs/protocol.md is checked against it.
enum class ErrorCode {
  kBadRequest,
  kTooLarge,
  kUnauthorized,
  kForbidden,
  kNotMember,
  kNoSuchRoom,
  kCidConflict,
  kRateLimited,
  kOverloaded,
  kUnavailable,
  kUnknown,
  kInternal,
};

struct ErrorCodeInfo {
  ErrorCode code;
  std::string_view name;  // on the wire, and as metric label
  bool retry;             // may the same request succeed later?
  std::string_view what;  // for the document
};

const std::vector<ErrorCodeInfo>& ErrorCodes();
const ErrorCodeInfo& InfoOf(ErrorCode code);

// A refused or failed client request.
struct ClientError {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // plain English, names what and where
  std::optional<std::int64_t> retry_after_ms;
};

// A reply to a client, or why there is none.
template <class T>
using ClientResult = std::variant<T, ClientError>;

}  // namespace minichat::core
