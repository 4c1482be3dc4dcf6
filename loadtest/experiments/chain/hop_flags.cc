#include "loadtest/experiments/chain/hop_flags.h"

#include <charconv>

namespace minichat::lab {
namespace {

constexpr const char* kCallerRuns = "caller_runs";

template <class Number>
bool ParseNumber(const std::string& text, Number* number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), *number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

bool ParseMillis(const std::string& text, std::chrono::milliseconds* duration) {
  std::int64_t count = 0;
  if (!ParseNumber(text, &count) || count < 0) return false;
  *duration = std::chrono::milliseconds(count);
  return true;
}

bool SetTexts(const std::string& name, const std::string& value, HopOptions* options) {
  if (name == "--name") {
    options->name = value;
  } else if (name == "--next") {
    options->next = value;
  } else if (name == "--deadline") {
    options->propagate_deadline = value == "propagate";
  } else if (name == "--handlers") {
    options->async = value == "async";
  } else if (name == "--overflow") {
    options->overflow = value == kCallerRuns ? Overflow::kCallerRuns : Overflow::kReject;
  } else {
    return false;
  }
  return true;
}

bool SetOption(const std::string& name, const std::string& value, HopOptions* options) {
  if (name == "--workers") return ParseNumber(value, &options->workers);
  if (name == "--queue") return ParseNumber(value, &options->queue_tasks);
  if (name == "--work-ms") return ParseMillis(value, &options->work);
  if (name == "--slice-ms") return ParseMillis(value, &options->slice);
  return SetTexts(name, value, options);
}

}  // namespace

std::vector<std::string> ToFlags(const HopOptions& options) {
  std::vector<std::string> flags{
      "--name",     options.name,
      "--workers",  std::to_string(options.workers),
      "--queue",    std::to_string(options.queue_tasks),
      "--overflow", options.overflow == Overflow::kCallerRuns ? kCallerRuns : "reject",
      "--deadline", options.propagate_deadline ? "propagate" : "none",
      "--handlers", options.async ? "async" : "pool",
      "--work-ms",  std::to_string(options.work.count()),
      "--slice-ms", std::to_string(options.slice.count())};
  if (!options.next.empty()) flags.insert(flags.end(), {"--next", options.next});
  return flags;
}

Result<HopOptions> ParseHopFlags(const std::vector<std::string>& flags) {
  HopOptions options;
  for (std::size_t i = 0; i < flags.size(); i += 2) {
    if (i + 1 == flags.size() || !SetOption(flags[i], flags[i + 1], &options)) {
      return InvalidArgument("unknown option or bad value: " + flags[i]);
    }
  }
  return options;
}

}  // namespace minichat::lab
