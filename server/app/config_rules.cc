#include "server/app/config_rules.h"

#include <algorithm>

#include "server/app/config_values.h"
#include "server/app/token_auth.h"

namespace minichat::app {
namespace {

using Verdict = std::optional<BrokenRule>;

constexpr std::size_t kMinSecret = 16;

bool Loopback(const std::string& address) {
  const auto parsed = ParseAddress(address);
  return parsed && parsed->loopback();
}

Verdict CheckListeners(const AppConfig& config) {
  if (config.HasRole("chat") && config.client_listen == config.admin_listen &&
      ParseAddress(config.admin_listen)->port != 0) {  // the option table has checked it
    return BrokenRule{"admin.listen", "is " + config.admin_listen + ", as client.listen is"};
  }
  if (config.admin_key.empty() && !Loopback(config.admin_listen)) {
    return BrokenRule{"admin.listen",
                      config.admin_listen +
                          " is not a loopback address; set admin.key first (MINICHAT_ADMIN_KEY or "
                          "admin.key_file)"};
  }
  return {};
}

// "https://chat.example:8443", as browsers write it: nothing behind the port.
bool IsOrigin(const std::string& text) {
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string::npos || scheme_end == 0) return false;
  const std::string host = text.substr(scheme_end + 3);
  return !host.empty() && host.find_first_of("/?#@* ") == std::string::npos;
}

Verdict CheckOrigins(const AppConfig& config) {
  for (const std::string& origin : config.client_origins) {
    if (origin == "*" || IsOrigin(origin)) continue;
    return BrokenRule{"client.origins", "\"" + origin +
                                            "\" is no origin; write one like "
                                            "https://chat.example or http://localhost:3000, "
                                            "without a path, or *"};
  }
  return {};
}

Verdict CheckAuth(const AppConfig& config) {
  const bool secret = !config.auth_secret.empty();
  const bool public_key = !config.auth_public_key_file.empty();
  if (secret && public_key) {
    return BrokenRule{"auth.public_key_file",
                      "stands beside auth.secret; tokens are checked with "
                      "one key"};
  }
  if (secret || public_key) {
    const Result<auth::TokenKey> key = VerifyingKey(config);
    const char* name = secret ? "auth.secret" : "auth.public_key_file";
    if (!key.ok()) return BrokenRule{name, key.status().message()};
    if (!config.auth_insecure) return {};
    return BrokenRule{"auth.insecure",
                      std::string("is true, so ") + name + " would not be used; set it to false"};
  }
  if (!config.HasRole("chat") || config.auth_insecure) return {};
  return BrokenRule{"auth.insecure",
                    "is false, so the node needs a key to check tokens with: auth.secret "
                    "(MINICHAT_AUTH_SECRET or auth.secret_file) or auth.public_key_file"};
}

Verdict CheckInsecure(const AppConfig& config) {
  if (!InsecureForOthers(config) || config.auth_insecure_anywhere) return {};
  return BrokenRule{"client.listen",
                    config.client_listen +
                        " is not a loopback address, and auth.insecure: true is allowed on "
                        "loopback only, unless auth.insecure_anywhere: true says that it is meant"};
}

// It travels in a header.
bool IsVisibleAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

Verdict CheckCluster(const AppConfig& config) {
  if (config.relay_listen.empty()) return {};
  if (!IsVisibleAscii(config.cluster_secret)) {
    return BrokenRule{"cluster.secret", "holds blanks or other characters than visible ASCII"};
  }
  if (config.cluster_secret.size() < kMinSecret) {
    return BrokenRule{"relay.listen",
                      "needs cluster.secret with at least " + std::to_string(kMinSecret) +
                          " characters (MINICHAT_CLUSTER_SECRET or cluster.secret_file)"};
  }
  if (InMemory(config.directory_url)) {
    return BrokenRule{"relay.listen",
                      "directory is memory:, in which nodes can't find each "
                      "other; set directory: redis://…"};
  }
  return {};
}

Verdict CheckBackends(const AppConfig& config) {
  const bool volatile_log = InMemory(config.log_url) || InMemory(config.store_url);
  if (!InMemory(config.directory_url) && volatile_log && !config.lab_enabled) {
    return BrokenRule{"directory",
                      "redis with log or store in memory loses messages; set both "
                      "log and store (lab.enabled: true allows it for measurements)"};
  }
  if (InMemory(config.directory_url) && !(InMemory(config.log_url) && InMemory(config.store_url))) {
    return BrokenRule{"directory",
                      "is memory: while log or store is not; set all three, or "
                      "none"};
  }
  return {};
}

Verdict CheckRoles(const AppConfig& config) {
  if (config.node_roles.empty()) return BrokenRule{"node.roles", "names no role"};
  if (InMemory(config.directory_url) && (!config.HasRole("chat") || !config.HasRole("persister"))) {
    return BrokenRule{"node.roles", "a node in memory stands alone and needs both roles"};
  }
  return {};
}

Verdict CheckApiKeys(const AppConfig& config) {
  for (const std::string& key : SplitList(config.api_keys)) {
    if (key.size() >= kMinSecret && IsVisibleAscii(key)) continue;
    return BrokenRule{"api.keys", "each must be at least " + std::to_string(kMinSecret) +
                                      " characters, visible ASCII without blanks"};
  }
  return {};
}

struct Given {
  const char* key;
  bool given;  // its value is another than the default
};

Verdict RefuseFirst(std::initializer_list<Given> keys, const char* why) {
  for (const Given& each : keys) {
    if (each.given) return BrokenRule{each.key, why};
  }
  return {};
}

// The profile before the keys that it sets.
Verdict CheckLab(const AppConfig& config) {
  if (config.lab_enabled) return {};
  const AppConfig off;
  return RefuseFirst(
      {{"lab.profile", config.lab_profile != off.lab_profile},
       {"lab.dispatch", config.lab_dispatch != off.lab_dispatch},
       {"lab.deadline", config.lab_deadline != off.lab_deadline},
       {"lab.fixed_deadline", config.lab_fixed_deadline != off.lab_fixed_deadline},
       {"lab.local", config.lab_local != off.lab_local},
       {"lab.repair", config.lab_repair != off.lab_repair},
       {"lab.executor.core", config.lab_executor_core != off.lab_executor_core},
       {"lab.executor.max", config.lab_executor_max != off.lab_executor_max},
       {"lab.executor.queue", config.lab_executor_queue != off.lab_executor_queue},
       {"lab.executor.overflow", config.lab_executor_overflow != off.lab_executor_overflow},
       {"lab.server_workers", config.lab_server_workers != off.lab_server_workers},
       {"lab.fault.relay_delay", config.lab_fault_relay_delay != off.lab_fault_relay_delay},
       {"lab.fault.die", config.lab_fault_die != off.lab_fault_die},
       {"lab.coalesce", config.lab_coalesce != off.lab_coalesce}},
      "keys under lab. need lab.enabled: true");
}

// What would be given in vain is refused: an experiment would compare nothing with nothing.
Verdict CheckLabDeadline(const AppConfig& config) {
  if (config.lab_deadline == "fixed") return {};
  return RefuseFirst(
      {{"lab.fixed_deadline", config.lab_fixed_deadline != AppConfig().lab_fixed_deadline}},
      "counts only with lab.deadline: fixed");
}

Verdict CheckLabPool(const AppConfig& config) {
  if (config.lab_executor_max < config.lab_executor_core) {
    return BrokenRule{"lab.executor.max", std::to_string(config.lab_executor_max) +
                                              " is below lab.executor.core, " +
                                              std::to_string(config.lab_executor_core)};
  }
  if (UsesLabPool(config)) return {};
  const AppConfig off;
  return RefuseFirst(
      {{"lab.executor.core", config.lab_executor_core != off.lab_executor_core},
       {"lab.executor.max", config.lab_executor_max != off.lab_executor_max},
       {"lab.executor.queue", config.lab_executor_queue != off.lab_executor_queue},
       {"lab.executor.overflow", config.lab_executor_overflow != off.lab_executor_overflow}},
      "counts only with lab.dispatch: pool or lab.local: per_recipient; nothing else uses the "
      "pool");
}

Verdict CheckStream(const AppConfig& config) {
  if (config.relay_mode != "stream" || CanStream(config)) return {};
  const std::string from = config.lab_profile == "classic" ? " (lab.profile is classic)" : "";
  if (config.lab_dispatch == "pool") {
    return BrokenRule{"relay.mode",
                      "stream has no calls to block in, so it can't go with "
                      "lab.dispatch: pool" +
                          from};
  }
  if (config.lab_deadline == "none") {
    return BrokenRule{"relay.mode",
                      "items of a stream end by their time only, so stream can't go "
                      "with lab.deadline: none"};
  }
  return BrokenRule{"relay.mode",
                    "items of a stream are handled without a thread, so stream can't "
                    "go with lab.server_workers"};
}

}  // namespace

bool InsecureForOthers(const AppConfig& config) {
  return config.HasRole("chat") && config.auth_insecure && !Loopback(config.client_listen);
}

bool UsesLabPool(const AppConfig& config) {
  return config.lab_dispatch == "pool" || config.lab_local == "per_recipient";
}

bool CanStream(const AppConfig& config) {
  return config.lab_dispatch == "async" && config.lab_deadline != "none" &&
         config.lab_server_workers == 0;
}

std::optional<BrokenRule> FindBrokenRule(const AppConfig& config) {
  for (const auto check :
       {CheckRoles, CheckListeners, CheckOrigins, CheckAuth, CheckInsecure, CheckCluster,
        CheckBackends, CheckApiKeys, CheckLab, CheckLabDeadline, CheckLabPool, CheckStream}) {
    if (const Verdict broken = check(config)) return broken;
  }
  return {};
}

}  // namespace minichat::app
