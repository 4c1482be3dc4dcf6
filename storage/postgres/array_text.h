#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace minichat::postgres {

// Builds the text form of a Postgres array, "{1,NULL,\"a \\\"quoted\\\" text\"}", which is how
// many rows travel in one statement (unnest).
//
// Threading: thread-compatible. Errors: none; text must be without NUL, which Postgres can't hold.
class ArrayText {
 public:
  void Add(std::string_view text);
  void Add(std::int64_t number);
  void Add(std::optional<std::int64_t> number);
  void AddNull() { Add(std::optional<std::int64_t>()); }
  // As bytea: any bytes.
  void AddBytes(std::string_view bytes);

  // Ends it; nothing may be added after.
  const std::string& Finish();

 private:
  void Separate();

  std::string text_ = "{";
};

}  // namespace minichat::postgres
