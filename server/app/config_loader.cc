#include "server/app/config_loader.h"

#include <fstream>
#include <set>
#include <sstream>

#include <yaml-cpp/yaml.h>

#include "server/app/config_rules.h"
#include "server/app/config_values.h"
#include "server/app/lab_profile.h"

namespace minichat::app {
namespace {

constexpr std::string_view kEnvironmentPrefix = "MINICHAT_";
constexpr std::size_t kTypo = 2;  // characters by which a misspelt variable differs

Status At(const std::string& where, const Status& status) {
  return status.ok() ? status : InvalidArgument(where + ": " + status.message());
}

// The config as it grows, and where each value came from.
struct Draft {
  AppConfig config;
  std::map<std::string, std::string> places;  // by key

  // Puts one value in, whatever source it came from.
  Status Put(const Option& option, const std::string& value, const std::string& where) {
    places[option.key] = where;
    return At(where, At(option.key, option.set(config, value)));
  }
};

// Reads a YAML file into a config. Keys may be nested or dotted.
class FileReader {
 public:
  FileReader(const OptionTable& table, const std::string& path, Draft* draft)
      : table_(table), path_(path), draft_(draft) {}

  Status Read() {
    try {
      std::ifstream in(path_);
      in.peek();  // a folder opens, but can't be read
      if (in.bad() || !in.is_open()) return InvalidArgument(path_ + ": can't be read");
      const std::vector<YAML::Node> documents = YAML::LoadAll(in);
      if (documents.empty() || documents.front().IsNull()) return {};
      const YAML::Node& root = documents.front();
      if (documents.size() > 1) {
        return Fail(documents[1], InvalidArgument("begins a second document; there may be one"));
      }
      if (!root.IsMap()) return Fail(root, InvalidArgument("is not a list of keys and values"));
      return ReadMap(root, "");
    } catch (const YAML::Exception& e) {
      return InvalidArgument(path_ + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg);
    }
  }

 private:
  std::string Where(const YAML::Node& node) const {
    return path_ + ":" + std::to_string(node.Mark().line + 1);
  }
  Status Fail(const YAML::Node& node, const Status& status) const {
    return At(Where(node), status);
  }

  Status ReadMap(const YAML::Node& map, const std::string& section) {
    for (const auto& entry : map) {
      const std::string name = entry.first.as<std::string>();
      const std::string key = section.empty() ? name : section + "." + name;
      const Status status = ReadEntry(key, entry.first, entry.second);
      if (!status.ok()) return status;
    }
    return {};
  }

  Status ReadEntry(const std::string& key, const YAML::Node& name, const YAML::Node& value) {
    const Option* option = table_.Find(key);
    if (option == nullptr) {
      if (!table_.IsSection(key)) return Fail(name, table_.UnknownKey(key));
      if (value.IsMap()) return ReadMap(value, key);
      return Fail(name, InvalidArgument(key + ": holds other keys, not a value"));
    }
    if (!seen_.insert(key).second) return Fail(name, InvalidArgument(key + ": is given twice"));
    if (option->secret) {
      return Fail(name, InvalidArgument(key + ": a secret doesn't belong in this file; use " +
                                        option->EnvironmentName() + " or " + key + "_file"));
    }
    return ReadValue(*option, name, value);
  }

  Status ReadValue(const Option& option, const YAML::Node& name, const YAML::Node& value) {
    std::string text;
    if (value.IsScalar()) {
      text = value.as<std::string>();
    } else if (value.IsSequence() && option.type == "list") {
      std::vector<std::string> items;
      for (const auto& item : value) items.push_back(item.as<std::string>());
      text = JoinList(items);
    } else if (!value.IsNull()) {
      return Fail(name, InvalidArgument(option.key + ": is not a single value"));
    }
    if (!PasswordOf(text).empty()) {
      return Fail(name, InvalidArgument(option.key +
                                        ": a password doesn't belong in this file; "
                                        "give the whole URL in " +
                                        option.EnvironmentName()));
    }
    return draft_->Put(option, text, Where(name));
  }

  const OptionTable& table_;
  const std::string& path_;
  Draft* draft_;
  std::set<std::string> seen_;
};

// A misspelt variable must not be ignored in silence; a foreign one (platforms make their own from
// service names) must not stop the start. So: near to a known name is an error, others a warning.
Status JudgeUnknownVariable(const OptionTable& table, const std::string& name,
                            std::vector<std::string>* warnings) {
  // The project's own tests and scripts use these.
  if (name == "MINICHAT_REQUIRE_SERVICES" || name == "MINICHAT_KAFKA_LIB" ||
      name == "MINICHAT_BIN" || name.starts_with("MINICHAT_TEST_"))
    return {};
  for (const Option& option : table.options()) {
    const std::string known = option.EnvironmentName();
    if (EditDistance(name, known) <= kTypo) {
      return InvalidArgument(name + ": unknown variable (did you mean " + known + "?)");
    }
  }
  warnings->push_back(name);
  return {};
}

Status ReadEnvironment(const OptionTable& table,
                       const std::map<std::string, std::string>& environment, Draft* draft,
                       std::vector<std::string>* warnings) {
  std::set<std::string> known;
  for (const Option& option : table.options()) {
    const std::string name = option.EnvironmentName();
    known.insert(name);
    const auto found = environment.find(name);
    if (found == environment.end()) continue;
    const Status status = draft->Put(option, found->second, name);
    if (!status.ok()) return status;
  }
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kEnvironmentPrefix) || known.contains(name)) continue;
    const Status status = JudgeUnknownVariable(table, name, warnings);
    if (!status.ok()) return status;
  }
  return {};
}

Status ReadFlags(const OptionTable& table,
                 const std::vector<std::pair<std::string, std::string>>& flags, Draft* draft) {
  for (const auto& [key, value] : flags) {
    const Option* option = table.Find(key);
    if (option == nullptr) return At("--" + key, table.UnknownKey(key));
    if (option->secret || !PasswordOf(value).empty()) {
      return InvalidArgument("--" + key + ": others can read a command line; use " +
                             option->EnvironmentName() +
                             (option->secret ? " or --" + key + "_file" : ""));
    }
    draft->places[key] = "--" + key;
    const Status status = At("--" + key, option->set(draft->config, value));
    if (!status.ok()) return status;
  }
  return {};
}

Status ReadSecretFile(const std::string& key, const std::string& path, std::string* secret) {
  if (path.empty()) return {};
  if (!secret->empty()) {
    return InvalidArgument(key + "_file: the secret is also given in the environment");
  }
  std::ifstream in(path);
  if (!std::getline(in, *secret) || secret->empty()) {
    return InvalidArgument(key + "_file: " + path + " can't be read, or its first line is empty");
  }
  return {};
}

// The whole file, as it is.
Status ReadKeyFile(const std::string& key, const std::string& path, std::string* text) {
  if (path.empty()) return {};
  std::ifstream in(path);
  std::ostringstream whole;
  whole << in.rdbuf();
  if (!in.is_open() || !whole) return InvalidArgument(key + ": " + path + " can't be read");
  *text = whole.str();
  return {};
}

Status ReadFiles(AppConfig* config) {
  Status status = ReadSecretFile("admin.key", config->admin_key_file, &config->admin_key);
  if (status.ok()) {
    status = ReadSecretFile("cluster.secret", config->cluster_secret_file, &config->cluster_secret);
  }
  if (status.ok()) {
    status = ReadSecretFile("auth.secret", config->auth_secret_file, &config->auth_secret);
  }
  if (status.ok()) status = ReadSecretFile("api.keys", config->api_keys_file, &config->api_keys);
  if (!status.ok()) return status;
  return ReadKeyFile("auth.public_key_file", config->auth_public_key_file,
                     &config->auth_public_key);
}

// What the profile says, but for keys that were given, wherever that was.
Status ApplyProfile(const OptionTable& table, Draft* draft) {
  for (const ProfileValue& each : ValuesOfProfile(draft->config.lab_profile)) {
    const std::string key(each.key);
    if (draft->places.contains(key)) continue;
    const Status status = table.Find(key)->set(draft->config, each.value);
    if (!status.ok()) return At("lab.profile", At(key, status));
  }
  return {};
}

// A rule between keys: told at the place where the value stands, unless it is a default.
Status CheckRules(const Draft& draft) {
  const auto broken = FindBrokenRule(draft.config);
  if (!broken) return {};
  const Status status = InvalidArgument(broken->key + ": " + broken->what);
  const auto place = draft.places.find(broken->key);
  return place == draft.places.end() ? status : At(place->second, status);
}

}  // namespace

Result<LoadedConfig> LoadConfig(const OptionTable& table, const ConfigSources& sources) {
  Draft draft;
  AppConfig& config = draft.config;
  std::vector<std::string> warnings;
  Status status;
  if (!sources.file.empty()) status = FileReader(table, sources.file, &draft).Read();
  if (status.ok()) status = ReadEnvironment(table, sources.environment, &draft, &warnings);
  if (status.ok()) status = ReadFlags(table, sources.flags, &draft);
  if (status.ok()) status = ReadFiles(&config);
  if (status.ok()) status = ApplyProfile(table, &draft);
  if (status.ok()) status = CheckRules(draft);
  if (!status.ok()) return status;
  return LoadedConfig{std::move(config), std::move(warnings)};
}

}  // namespace minichat::app
