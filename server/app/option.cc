#include "server/app/option.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "server/app/config_values.h"

namespace minichat::app {
namespace {

std::string Quote(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

bool Contains(const std::vector<std::string>& items, std::string_view item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

Status NotAllowed(std::string_view value, const std::vector<std::string>& choices) {
  std::string line = Quote(value) + " is not allowed; allowed: " + JoinList(choices);
  const std::string nearest = Nearest(value, choices);
  if (!nearest.empty()) line += " (did you mean " + nearest + "?)";
  return InvalidArgument(line);
}

// A row whose text form is parsed and printed by the two functions.
template <class T, class Parse, class Print>
Option Make(std::string key, std::string type, std::string allowed, T AppConfig::*field,
            std::string help, Parse parse, Print print) {
  Option option;
  option.key = std::move(key);
  option.type = std::move(type);
  option.allowed = std::move(allowed);
  option.help = std::move(help);
  option.set = [field, parse](AppConfig& config, std::string_view text) -> Status {
    Result<T> value = parse(text);
    if (value.ok()) config.*field = std::move(*value);
    return value.status();
  };
  option.get = [field, print](const AppConfig& config) { return print(config.*field); };
  return option;
}

std::string AsIs(const std::string& text) {
  return text;
}

// A number of any unit, within a range that is named in the same unit.
template <class Number, class Parse, class Print>
auto InRange(Number min, Number max, Parse parse, Print print, std::string example) {
  return [=](std::string_view text) -> Result<Number> {
    const auto value = parse(text);
    if (value && *value >= min && *value <= max) return *value;
    return InvalidArgument(Quote(text) + " is not allowed; allowed: " + example + " from " +
                           print(min) + " to " + print(max));
  };
}

bool IsNameCharacter(unsigned char c) {
  return std::isalnum(c) != 0 ||
         std::string_view("._:@-").find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

std::string Option::EnvironmentName() const {
  std::string name = "MINICHAT_";
  for (const char c : key) {
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

Option&& Option::Secret() && {
  secret = true;
  return std::move(*this);
}

Option&& Option::Reloadable() && {
  reloadable = true;
  return std::move(*this);
}

Option TextOption(std::string key, std::string AppConfig::*field, std::string help) {
  const auto parse = [](std::string_view text) -> Result<std::string> { return std::string(text); };
  return Make(std::move(key), "text", "", field, std::move(help), parse, AsIs);
}

Option NameOption(std::string key, std::string AppConfig::*field, std::string help) {
  const std::string allowed = "1 to 64 characters of A-Z a-z 0-9 . _ : @ -";
  const auto parse = [allowed](std::string_view text) -> Result<std::string> {
    if (!text.empty() && text.size() <= 64 &&
        std::all_of(text.begin(), text.end(), IsNameCharacter)) {
      return std::string(text);
    }
    return InvalidArgument(Quote(text) + " is not allowed; allowed: " + allowed);
  };
  return Make(std::move(key), "name", allowed, field, std::move(help), parse, AsIs);
}

Option BoolOption(std::string key, bool AppConfig::*field, std::string help) {
  const auto parse = [](std::string_view text) -> Result<bool> {
    const auto value = ParseBool(text);
    if (value) return *value;
    return NotAllowed(text, {"true", "false"});
  };
  const auto print = [](bool value) { return std::string(value ? "true" : "false"); };
  return Make(std::move(key), "switch", "true, false", field, std::move(help), parse, print);
}

Option CountOption(std::string key, std::uint64_t AppConfig::*field, Range range,
                   std::string help) {
  const auto print = [](std::uint64_t value) { return std::to_string(value); };
  return Make(std::move(key), "number", print(range.min) + " to " + print(range.max), field,
              std::move(help), InRange(range.min, range.max, ParseCount, print, "a number"), print);
}

Option BytesOption(std::string key, std::uint64_t AppConfig::*field, Range range,
                   std::string help) {
  return Make(std::move(key), "size", PrintBytes(range.min) + " to " + PrintBytes(range.max), field,
              std::move(help),
              InRange(range.min, range.max, ParseBytes, PrintBytes, "a size like 64KiB or 4MiB"),
              PrintBytes);
}

Option DurationOption(std::string key, Duration AppConfig::*field, DurationRange range,
                      std::string help) {
  return Make(
      std::move(key), "duration", PrintDuration(range.min) + " to " + PrintDuration(range.max),
      field, std::move(help),
      InRange(range.min, range.max, ParseDuration, PrintDuration, "a duration like 500ms or 10s"),
      PrintDuration);
}

Option ChoiceOption(std::string key, std::string AppConfig::*field,
                    std::vector<std::string> choices, std::string help) {
  const std::string allowed = JoinList(choices);
  const auto parse = [choices](std::string_view text) -> Result<std::string> {
    if (Contains(choices, text)) return std::string(text);
    return NotAllowed(text, choices);
  };
  return Make(std::move(key), "one of", allowed, field, std::move(help), parse, AsIs);
}

Option ListOption(std::string key, std::vector<std::string> AppConfig::*field,
                  std::vector<std::string> choices, std::string help) {
  const std::string allowed = JoinList(choices);
  const auto parse = [choices](std::string_view text) -> Result<std::vector<std::string>> {
    std::vector<std::string> items = SplitList(text);
    for (const std::string& item : items) {
      if (!choices.empty() && !Contains(choices, item)) return NotAllowed(item, choices);
    }
    return items;
  };
  return Make(std::move(key), "list", allowed, field, std::move(help), parse, JoinList);
}

Option AddressOption(std::string key, std::string AppConfig::*field, bool optional,
                     std::string help) {
  const auto parse = [optional](std::string_view text) -> Result<std::string> {
    if ((optional && text.empty()) || ParseAddress(text)) return std::string(text);
    return InvalidArgument(Quote(text) + " is not allowed; allowed: host:port, with a port from " +
                           "0 to 65535 (0: a free one)");
  };
  return Make(std::move(key), "address", "host:port", field, std::move(help), parse, AsIs);
}

Option ListenOption(std::string key, std::string AppConfig::*field, std::string help) {
  const auto parse = [](std::string_view text) -> Result<std::string> {
    const auto address = ParseAddress(text);
    if (address && address->numeric()) return std::string(text);
    return InvalidArgument(Quote(text) +
                           " is not allowed; allowed: an IP address and a port, such as "
                           "127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080 (port 0: a free one)");
  };
  return Make(std::move(key), "address", "IP address:port", field, std::move(help), parse, AsIs);
}

Option BackendOption(std::string key, std::string AppConfig::*field, const std::string& form,
                     UrlNeeds needs, std::string help) {
  const std::string scheme = form.substr(0, form.find("://") + 3);
  const std::string allowed = "memory: or " + form;
  const auto parse = [scheme, allowed, needs](std::string_view text) -> Result<std::string> {
    const bool good = text.starts_with(scheme) && IsGoodUrl(text, needs);
    if (good || InMemory(text)) return std::string(text);
    return InvalidArgument(Quote(RedactUrl(text)) + " is not allowed; allowed: " + allowed);
  };
  return Make(std::move(key), "backend", allowed, field, std::move(help), parse,
              [](const std::string& url) { return RedactUrl(url); });
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Levenshtein's, one row at a time.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

std::string Nearest(std::string_view text, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string& word : known) {
    const std::size_t distance = EditDistance(text, word);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = word;
  }
  return best;
}

}  // namespace minichat::app
