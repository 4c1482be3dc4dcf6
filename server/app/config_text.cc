#include "server/app/config_text.h"

#include <string_view>

namespace minichat::app {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

<!-- Written by `minichat config-doc`. Change server/app/option_table.cc, then run
     `build/dev/bin/minichat config-doc > docs/configuration.md`. -->

Each key can be given in four places. A later one wins:

1. its default,
2. a YAML file (`minichat serve --config FILE`), nested (`relay:` / `  mode: single`) or dotted
   (`relay.mode: single`),
3. an environment variable: `MINICHAT_` and the key in capitals with `_` for each dot
   (`MINICHAT_RELAY_MODE=single`),
4. a flag (`--relay.mode single` or `--relay.mode=single`).

Unknown keys and bad values stop the start with exit code 2 and one line that names the place, the
key and what is allowed. A variable `MINICHAT_…` that is no key's stops it when it looks like a misspelt
one; others, which platforms make from a service's name, are told and ignored. `minichat check-config`
does only that; `minichat print-config` shows what
is in force. Secrets come from the environment or from a file (`*_file`), never from the
configuration file or a flag, and are never printed.

Durations are written `250ms`, `10s`, `5m`, `1h`; sizes `4096`, `64KiB`, `4MiB`, `1GiB`; lists as a
YAML list or `a, b`.

SIGHUP makes a node read its configuration again. Keys marked **reload** then take effect; for
others the node logs that they need a restart.

With no configuration at all, `minichat serve` is one node in memory on 127.0.0.1:8080: open rooms,
no authentication, and nothing survives a restart.

)";

std::string DefaultOf(const Option& option) {
  const std::string text = option.get(AppConfig());
  return text.empty() ? "(empty)" : "`" + text + "`";
}

void WriteOption(const Option& option, std::string* out) {
  *out += "### `" + option.key + "`\n\n" + option.help + "\n\n";
  *out += "- Type: " + option.type;
  if (!option.allowed.empty() && option.type != "switch") *out += " (" + option.allowed + ")";
  *out += "\n";
  if (!option.secret) *out += "- Default: " + DefaultOf(option) + "\n";
  *out += "- Environment: `" + option.EnvironmentName() + "`";
  *out += option.secret ? " (secret: only there or in `" + option.key + "_file`)\n" : "\n";
  if (option.reloadable) *out += "- **reload**: takes effect on SIGHUP\n";
  *out += "\n";
}

std::string SectionOf(const std::string& key) {
  const auto dot = key.find('.');
  return dot == std::string::npos ? "backends" : key.substr(0, dot);
}

// Quoted, since "*" and ": " mean something in YAML.
std::string YamlText(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string ConfigDocument(const OptionTable& table) {
  std::string document(kIntroduction);
  std::string section;
  for (const Option& option : table.options()) {
    if (SectionOf(option.key) != section) {
      section = SectionOf(option.key);
      document += "## " + section + "\n\n";
    }
    WriteOption(option, &document);
  }
  document.pop_back();  // one empty line at the end is enough
  return document;
}

std::string PrintConfig(const OptionTable& table, const AppConfig& config) {
  std::string text;
  for (const Option& option : table.options()) {
    const std::string value = option.get(config);
    if (option.secret) {
      text += "# " + option.key + ": " + (value.empty() ? "(not set)" : "***") + "\n";
    } else {
      text += option.key + ": " + YamlText(value) + "\n";
    }
  }
  return text;
}

}  // namespace minichat::app
