#include "loadtest/load_program/load_command.h"

#include <algorithm>
#include <functional>
#include <set>

#include <unistd.h>

#include "loadtest/load_program/option_values.h"

namespace minichat::loadtest {
namespace {

constexpr std::size_t kMaxSessions = 500'000;

struct OptionRow {
  std::string name;
  std::string value;  // its name in the usage; empty: a flag that takes none
  std::string text;
  std::function<Status(const std::string& value, LoadCommand* command)> set;
  bool repeatable = false;
};

// Sets one field to what `read` makes of the text.
template <class T, class Read>
auto Set(T LoadCommand::*field, Read read) {
  return [field, read](const std::string& text, LoadCommand* command) -> Status {
    auto value = read(text);
    if (!value.ok()) return value.status();
    command->*field = std::move(value).value();
    return {};
  };
}

auto SetCount(std::size_t LoadCommand::*field, CountBounds bounds) {
  return Set(field, [bounds](const std::string& text) { return ReadCount(text, bounds); });
}

auto SetText(std::string LoadCommand::*field) {
  return Set(field, [](const std::string& text) -> Result<std::string> {
    if (text.empty()) return InvalidArgument("an empty name");
    return text;
  });
}

auto SetFlag(bool LoadCommand::*field) {
  return Set(field, [](const std::string&) -> Result<bool> { return true; });
}

Status AddNode(const std::string& text, LoadCommand* command) {
  Result<Endpoint> node = ReadAddress(text);
  if (!node.ok()) return node.status();
  command->nodes.push_back(std::move(node).value());
  return {};
}

const std::vector<OptionRow>& Rows() {
  using C = LoadCommand;
  static const std::vector<OptionRow> kRows = {
      {"--cluster", "FILE", "the running cluster (var/cluster.json, as ./dev up leaves it)",
       SetText(&C::cluster_file)},
      {"--node", "HOST:PORT", "a node's client address, instead of a cluster file; repeatable",
       AddNode, true},
      {"--members", "N", "members of each room, spread evenly over the nodes (150)",
       SetCount(&C::members, {1, kMaxSessions})},
      {"--talkers", "N", "of each room's members those who talk, in turn (15, or all)",
       SetCount(&C::talkers, {1, kMaxSessions})},
      {"--rate", "R", "messages a second, over all rooms together (50)", Set(&C::rate, ReadRate)},
      {"--duration", "D", "how long to send, as 30s or 2m (120s)", Set(&C::duration, ReadDuration)},
      {"--drain", "D", "how long to wait then for what is missing (60s)",
       Set(&C::drain, ReadDuration)},
      {"--rooms", "N", "rooms, each with its own members and talkers (1)",
       SetCount(&C::rooms, {1, kMaxSessions})},
      {"--text-bytes", "N", "length of each text; a number stands in front (200)",
       SetCount(&C::text_bytes, {1, 4096})},
      {"--label", "L", "in the names of rooms and users (one that no other run has)",
       Set(&C::label, ReadLabel)},
      {"--allow-misordered", "", "count what comes out of order, but don't fail for it",
       SetFlag(&C::allow_misordered)},
      {"--json", "FILE", "write the report there too; - for standard output instead of the table",
       SetText(&C::json_file)},
      {"--ids-file", "FILE", "write the ids of all acknowledged messages, one a line",
       SetText(&C::ids_file)},
      {"--control", "HOST:PORT",
       "live load: goes on until it is stopped, steered through this loopback port (0: a free one)",
       Set(&C::control,
           [](const std::string& text) -> Result<std::optional<Endpoint>> {
             const Result<Endpoint> address = ReadLoopbackAddress(text);
             if (!address.ok()) return address.status();
             return std::optional<Endpoint>(*address);
           })},
      {"--ports-file", "FILE", "with --control: write the bound port there",
       SetText(&C::ports_file)},
      {"--quiet", "", "no progress on standard error", SetFlag(&C::quiet)},
      {"--help", "", "this text", SetFlag(&C::help)},
      {"--version", "", "the version", SetFlag(&C::version)},
  };
  return kRows;
}

std::string UsageLine(const OptionRow& row) {
  std::string line = "  " + row.name + (row.value.empty() ? "" : " " + row.value);
  line.resize(std::max<std::size_t>(line.size() + 2, 24), ' ');
  return line + row.text + "\n";
}

Status Refuse(const std::string& option, const std::string& why) {
  return InvalidArgument(option + ": " + why);
}

// What only several options together can break.
Status CheckTogether(const LoadCommand& c) {
  if (!c.cluster_file.empty() && !c.nodes.empty()) {
    return Refuse("--node", "either this or --cluster");
  }
  if (c.talkers > c.members) {
    return Refuse("--talkers", "at most as many as --members (" + std::to_string(c.members) + ")");
  }
  if (c.members > kMaxSessions / c.rooms) {
    return Refuse("--rooms",
                  "with --members at most " + std::to_string(kMaxSessions) + " sessions");
  }
  if (c.duration.count() == 0) return Refuse("--duration", "above 0");
  return {};
}

// Live load has one room and no end of its own.
Status CheckLive(const LoadCommand& command, const std::set<std::string>& seen) {
  if (!command.control) {
    return seen.contains("--ports-file") ? Refuse("--ports-file", "only with --control") : Status();
  }
  for (const char* name : {"--node", "--duration", "--drain", "--rooms", "--json", "--ids-file"}) {
    if (seen.contains(name)) return Refuse(name, "not with --control");
  }
  return {};
}

std::string NewLabel() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return "load-" + std::to_string(getpid()) + "-" + std::to_string(ms);
}

// "--name=value" as two arguments.
std::vector<std::string> SplitAtEquals(const std::vector<std::string>& arguments) {
  std::vector<std::string> parts;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (argument.starts_with("--") && equals != std::string::npos) {
      parts.push_back(argument.substr(0, equals));
      parts.push_back(argument.substr(equals + 1));
    } else {
      parts.push_back(argument);
    }
  }
  return parts;
}

Result<const OptionRow*> FindRow(const std::string& name, const std::set<std::string>& seen) {
  const auto row = std::find_if(Rows().begin(), Rows().end(),
                                [&](const OptionRow& r) { return r.name == name; });
  if (row == Rows().end()) {
    return InvalidArgument("unknown option \"" + name + "\"; --help lists them");
  }
  if (seen.contains(name) && !row->repeatable) return Refuse(name, "given twice");
  return &*row;
}

}  // namespace

Result<LoadCommand> ParseLoadCommand(const std::vector<std::string>& arguments) {
  LoadCommand command;
  std::set<std::string> seen;
  const std::vector<std::string> parts = SplitAtEquals(arguments);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& name = parts[i];
    const Result<const OptionRow*> row = FindRow(name, seen);
    if (!row.ok()) return row.status();
    seen.insert(name);
    const bool takes_value = !(*row)->value.empty();
    if (takes_value && ++i == parts.size()) return Refuse(name, "needs " + (*row)->value);
    const Status set = (*row)->set(takes_value ? parts[i] : "", &command);
    if (!set.ok()) return Refuse(name, set.message());
    if (command.help || command.version) return command;
  }
  if (!seen.contains("--talkers")) command.talkers = std::min(command.talkers, command.members);
  if (const Status together = CheckTogether(command); !together.ok()) return together;
  if (const Status live = CheckLive(command, seen); !live.ok()) return live;
  if (command.label.empty()) command.label = NewLabel();
  if (command.nodes.empty() && command.cluster_file.empty()) {
    command.cluster_file = "var/cluster.json";
  }
  return command;
}

std::string LoadUsage() {
  std::string text =
      "minichat-load: puts load on a running cluster and accounts for every message by id.\n"
      "Members of rooms sit on all nodes; some of them talk, at fixed times, whether or not\n"
      "answers come (an open model). Latencies count from the intended time of sending.\n"
      "Ctrl-C ends the sending, a second one the waiting; the report comes all the same.\n"
      "\n"
      "Exit 0: every message is with every member once, in order; 1: it is not, or one was\n"
      "refused, or is still missing; 2: bad usage; 3: could not connect.\n"
      "\n";
  for (const OptionRow& row : Rows()) text += UsageLine(row);
  return text;
}

}  // namespace minichat::loadtest
