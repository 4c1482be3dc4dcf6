#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace minichat::log {

enum class Level { kTrace, kDebug, kInfo, kWarn, kError, kOff };

// One key=value of a log line. Never message text, tokens or passwords.
struct Field {
  std::string_view key;
  std::string value;

  Field(std::string_view k, std::string v) : key(k), value(std::move(v)) {}
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Field(std::string_view k, Number v) : key(k), value(std::to_string(v)) {}
};

// Writes logfmt lines "2026-01-02T03:04:05.678Z info peer_up peer=n2" to standard error.
// Of warnings alike (same event and first field) one per 10 s is written; it counts the rest.
// Threading: thread-safe.
void Write(Level level, std::string_view event, std::initializer_list<Field> fields);
void SetLevel(Level level);
bool Enabled(Level level);
// "trace", "debug", "info", "warn", "error", "off"; false when it is none of these.
bool ParseLevel(std::string_view text, Level* level);

inline void Debug(std::string_view event, std::initializer_list<Field> fields = {}) {
  if (Enabled(Level::kDebug)) Write(Level::kDebug, event, fields);
}
inline void Info(std::string_view event, std::initializer_list<Field> fields = {}) {
  Write(Level::kInfo, event, fields);
}
inline void Warn(std::string_view event, std::initializer_list<Field> fields = {}) {
  Write(Level::kWarn, event, fields);
}
inline void Error(std::string_view event, std::initializer_list<Field> fields = {}) {
  Write(Level::kError, event, fields);
}

}  // namespace minichat::log
