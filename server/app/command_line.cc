#include "server/app/command_line.h"

#include <algorithm>

namespace minichat::app {
namespace {

const std::vector<std::string>& Commands() {
  static const std::vector<std::string> kCommands = {
      "serve", "migrate", "token", "check-config", "print-config", "config-doc", "version", "help"};
  return kCommands;
}

// The flags that are no configuration, and the command each belongs to.
const std::map<std::string, std::string>& OwnFlags() {
  static const std::map<std::string, std::string> kFlags = {
      {"ports-file", "serve"}, {"user", "token"}, {"ttl", "token"}, {"private-key-file", "token"}};
  return kFlags;
}

// Takes the arguments one by one.
class Parser {
 public:
  Parser(const OptionTable& table, const std::vector<std::string>& arguments)
      : table_(table), arguments_(arguments) {}

  Result<CommandLine> Parse() {
    while (next_ < arguments_.size()) {
      const Status status = ParseOne(arguments_[next_++]);
      if (!status.ok()) return status;
    }
    if (line_.command.empty()) line_.command = "help";
    for (const auto& [flag, value] : line_.own) {
      const std::string& command = OwnFlags().at(flag);
      if (command == line_.command) continue;
      return InvalidArgument("--" + flag + ": belongs to minichat " + command);
    }
    return line_;
  }

 private:
  Status ParseOne(const std::string& argument) {
    if (argument == "--help" || argument == "-h") return SetCommand("help");
    if (argument == "--version") return SetCommand("version");
    if (argument.starts_with("--")) return ParseFlag(argument.substr(2));
    if (!line_.command.empty()) {
      return InvalidArgument("unexpected argument \"" + argument + "\"");
    }
    return SetCommand(argument);
  }

  Status SetCommand(const std::string& command) {
    const auto& known = Commands();
    if (std::find(known.begin(), known.end(), command) == known.end()) {
      const std::string nearest = Nearest(command, known);
      return InvalidArgument(
          "unknown command \"" + command + "\"" +
          (nearest.empty() ? "; try minichat help" : " (did you mean " + nearest + "?)"));
    }
    line_.command = command;
    return {};
  }

  Status ParseFlag(const std::string& flag) {
    const auto equals = flag.find('=');
    const std::string key = flag.substr(0, equals);
    const Option* option = table_.Find(key);
    const bool own = key == "config" || OwnFlags().contains(key);
    if (option == nullptr && !own) {
      const Status unknown = table_.UnknownKey(key);
      return InvalidArgument("--" + key + ": " + unknown.message());
    }
    std::string value;
    if (equals != std::string::npos) {
      value = flag.substr(equals + 1);
    } else if (next_ < arguments_.size() && !arguments_[next_].starts_with("--")) {
      value = arguments_[next_++];
    } else if (option != nullptr && option->type == "switch") {
      value = "true";
    } else {
      return InvalidArgument("--" + key + ": a value is missing");
    }
    Store(key, std::move(value));
    return {};
  }

  void Store(const std::string& key, std::string value) {
    if (key == "config") {
      line_.config_file = std::move(value);
    } else if (OwnFlags().contains(key)) {
      line_.own[key] = std::move(value);
    } else {
      line_.flags.emplace_back(key, std::move(value));
    }
  }

  const OptionTable& table_;
  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  CommandLine line_;
};

}  // namespace

std::string CommandLine::Own(const std::string& name) const {
  const auto found = own.find(name);
  return found == own.end() ? "" : found->second;
}

Result<CommandLine> ParseCommandLine(const OptionTable& table,
                                     const std::vector<std::string>& arguments) {
  return Parser(table, arguments).Parse();
}

}  // namespace minichat::app
