#include "server/base/log.h"

#include <array>
#include <chrono>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "server/base/repeat_limit.h"

namespace minichat::log {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"trace", "debug", "info",
                                                    "warn",  "error", "off"};
static_assert(static_cast<int>(Level::kOff) == 5);

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kTrace:
      return spdlog::level::trace;
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
    case Level::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> kLogger = [] {
    auto made = std::make_shared<spdlog::logger>("minichat",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
    made->flush_on(spdlog::level::warn);
    return made;
  }();
  return *kLogger;
}

constexpr auto kRepeatPeriod = std::chrono::seconds(10);

// Of warnings alike: the same event about the same thing, which the first field names.
RepeatLimit& Repeats() {
  static RepeatLimit limit(kRepeatPeriod);
  return limit;
}

std::string KeyOf(std::string_view event, std::initializer_list<Field> fields) {
  std::string key(event);
  if (fields.size() > 0) key += '\0' + fields.begin()->value;
  return key;
}

// Quoted when it holds anything that would break "key=value key=value".
void AppendValue(std::string& line, std::string_view value) {
  const bool plain =
      !value.empty() && value.find_first_of(" \"=\\\n\r\t") == std::string_view::npos;
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    if (c == '\n' || c == '\r') {
      line += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') line += '\\';
    line += c;
  }
  line += '"';
}

}  // namespace

void Write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (!Enabled(level)) return;
  std::uint64_t held_back = 0;
  if (level == Level::kWarn) {
    const auto admitted = Repeats().Admit(KeyOf(event, fields), RepeatLimit::Clock::now());
    if (!admitted) return;
    held_back = *admitted;
  }
  std::string line(kNames[static_cast<std::size_t>(level)]);
  line += ' ';
  line += event;
  for (const Field& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    AppendValue(line, field.value);
  }
  if (held_back > 0) line += " suppressed=" + std::to_string(held_back);
  Logger().log(ToSpdlog(level), line);
}

void SetLevel(Level level) {
  Logger().set_level(ToSpdlog(level));
}

bool Enabled(Level level) {
  return Logger().should_log(ToSpdlog(level));
}

bool ParseLevel(std::string_view text, Level* level) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != text) continue;
    *level = static_cast<Level>(i);
    return true;
  }
  return false;
}

}  // namespace minichat::log
