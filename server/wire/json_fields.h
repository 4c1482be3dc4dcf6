#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include "server/base/json_scan.h"
#include "server/core/chat_node.h"
#include "server/core/client_error.h"

// JSON objects that come from outside: frames and HTTP bodies. Nothing here throws.
namespace minichat::wire {

inline constexpr std::size_t kMaxJsonDepth = 32;

// One JSON object, parsed.
//
// Lifetime:  the text outlives it. Neither copied nor moved.
// Threading: thread-compatible.
class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  // Why there is no object to look at; empty: there is one.
  const std::string& trouble() const { return trouble_; }
  // What else is wrong: a key that stands twice, U+0000 in a string; empty: nothing.
  std::string Fault() const;

  const boost::json::object& object() const { return parsed_.get_object(); }
  // The value's bytes as they came; empty: there is none, or its key is written with escapes.
  std::string_view RawValue(std::string_view key) const;

 private:
  std::string RepeatedKey() const;

  const std::string_view text_;
  std::array<unsigned char, 4096> buffer_;
  boost::json::monotonic_resource memory_{buffer_.data(), buffer_.size()};
  // In the same memory, or what is parsed would be copied to the heap.
  boost::json::value parsed_ = boost::json::value(boost::json::storage_ptr(&memory_));
  std::vector<RawMember> members_;
  std::string trouble_;
};

// The fields of an object, read one after the other; the first thing that is wrong is kept.
//
// Lifetime: the document outlives it.
// Errors:   error() names the field, with `prefix` before it, and the rule.
class JsonFields {
 public:
  JsonFields(std::string_view prefix, const JsonDocument& document)
      : prefix_(prefix), document_(document) {}

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  const boost::json::value* Find(std::string_view name) const;

  // Each records an error when the field is missing or not as it must be, and answers an empty
  // value then.
  std::string Id(std::string_view name);
  std::string Text(std::string_view name, std::size_t max_bytes);
  std::vector<std::string> Ids(std::string_view name, std::size_t max);
  // These may be missing.
  std::optional<std::uint64_t> Number(std::string_view name);
  bool Flag(std::string_view name);

  void Fail(std::string_view name, std::string_view rule,
            core::ErrorCode code = core::ErrorCode::kBadRequest);
  const std::optional<core::ClientError>& error() const { return error_; }
  const JsonDocument& document() const { return document_; }

 private:
  const std::string_view prefix_;
  const JsonDocument& document_;
  std::optional<core::ClientError> error_;
};

inline constexpr const char* kIdRule = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : @ -";
inline constexpr const char* kSeqRule = "must be a whole number from 0 to 9007199254740991";

// A non-negative integer of JSON's safe range; nothing when `value` is anything else.
std::optional<std::uint64_t> ToSafeNumber(const boost::json::value& value);
std::string_view ViewOf(const boost::json::string& text);

// cid, resend, and text or data: what a message consists of but for room and sender.
core::SendRequest ReadMessage(JsonFields& fields);

}  // namespace minichat::wire
