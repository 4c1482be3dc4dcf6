#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/app_config.h"
#include "server/app/config_values.h"
#include "server/base/status.h"

namespace minichat::app {

// One row of the option table: a key, what it may hold, and the field of AppConfig behind it.
//
// Errors:    set() answers InvalidArgument with what is wrong and what is allowed, without the key,
//            and then leaves the config unchanged.
// Threading: immutable.
struct Option {
  std::string key;      // "relay.mode"; as flag "--relay.mode"
  std::string type;     // for people: "text", "duration", "one of", …
  std::string allowed;  // for people: "bulk, single"; empty: anything of the type
  std::string help;
  bool secret = false;      // only from the environment or a *_file; never printed
  bool reloadable = false;  // SIGHUP applies it
  std::function<Status(AppConfig&, std::string_view)> set;
  std::function<std::string(const AppConfig&)> get;

  // "MINICHAT_RELAY_MODE"
  std::string EnvironmentName() const;
  Option&& Secret() &&;
  Option&& Reloadable() &&;
};

// How a number may be written and which values make sense.
struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
};
struct DurationRange {
  Duration min;
  Duration max;
};

// Makers of rows, one per type.
Option TextOption(std::string key, std::string AppConfig::*field, std::string help);
Option NameOption(std::string key, std::string AppConfig::*field, std::string help);
Option BoolOption(std::string key, bool AppConfig::*field, std::string help);
Option CountOption(std::string key, std::uint64_t AppConfig::*field, Range range, std::string help);
Option BytesOption(std::string key, std::uint64_t AppConfig::*field, Range range, std::string help);
Option DurationOption(std::string key, Duration AppConfig::*field, DurationRange range,
                      std::string help);
Option ChoiceOption(std::string key, std::string AppConfig::*field,
                    std::vector<std::string> choices, std::string help);
// Written as a YAML list or as "a, b"; with choices only those.
Option ListOption(std::string key, std::vector<std::string> AppConfig::*field,
                  std::vector<std::string> choices, std::string help);
// "host:port"; may be empty when `optional`.
Option AddressOption(std::string key, std::string AppConfig::*field, bool optional,
                     std::string help);
// "address:port" of this machine: no names, which can stand for several addresses.
Option ListenOption(std::string key, std::string AppConfig::*field, std::string help);
// "memory:" or a URL of the form "scheme://…", of which scheme, hosts, ports and `needs` are
// checked. A password in it is not printed.
Option BackendOption(std::string key, std::string AppConfig::*field, const std::string& form,
                     UrlNeeds needs, std::string help);

// How many characters must be put in, taken out or replaced to turn one into the other.
std::size_t EditDistance(std::string_view a, std::string_view b);
// The known word that `text` most likely meant; empty when none is near.
std::string Nearest(std::string_view text, const std::vector<std::string>& known);

}  // namespace minichat::app
