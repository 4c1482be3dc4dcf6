#include "server/app/config_rules.h"

#include <algorithm>
#include <string>

#include "server/app/config_values.h"

namespace minichat::app {
namespace {

constexpr std::size_t kMinSecret = 16;

bool Loopback(const std::string& address) {
  const auto parsed = ParseAddress(address);
  return parsed && parsed->loopback();
}

Status CheckListeners(const AppConfig& config) {
  if (config.HasRole("chat") && config.auth_insecure && !Loopback(config.client_listen)) {
    return InvalidArgument("client.listen: " + config.client_listen +
                           " is not a loopback address, and auth.insecure: true is allowed on "
                           "loopback only");
  }
  if (config.admin_key.empty() && !Loopback(config.admin_listen)) {
    return InvalidArgument("admin.listen: " + config.admin_listen +
                           " is not a loopback address; set admin.key first (MINICHAT_ADMIN_KEY or "
                           "admin.key_file)");
  }
  return {};
}

// It travels in a header.
bool IsVisibleAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

Status CheckCluster(const AppConfig& config) {
  if (config.relay_listen.empty()) return {};
  if (!IsVisibleAscii(config.cluster_secret)) {
    return InvalidArgument("cluster.secret: holds blanks or other characters than visible ASCII");
  }
  if (config.cluster_secret.size() < kMinSecret) {
    return InvalidArgument("relay.listen: needs cluster.secret with at least " +
                           std::to_string(kMinSecret) +
                           " characters (MINICHAT_CLUSTER_SECRET or cluster.secret_file)");
  }
  if (InMemory(config.directory_url)) {
    return InvalidArgument(
        "relay.listen: directory is memory:, in which nodes can't find each "
        "other; set directory: redis://…");
  }
  return {};
}

Status CheckBackends(const AppConfig& config) {
  const bool volatile_log = InMemory(config.log_url) || InMemory(config.store_url);
  if (!InMemory(config.directory_url) && volatile_log && !config.lab_enabled) {
    return InvalidArgument(
        "directory: redis with log or store in memory loses messages; set both "
        "log and store (lab.enabled: true allows it for measurements)");
  }
  if (InMemory(config.directory_url) && !(InMemory(config.log_url) && InMemory(config.store_url))) {
    return InvalidArgument(
        "directory: is memory: while log or store is not; set all three, or "
        "none");
  }
  return {};
}

Status CheckRoles(const AppConfig& config) {
  if (config.node_roles.empty()) return InvalidArgument("node.roles: names no role");
  if (InMemory(config.directory_url) && (!config.HasRole("chat") || !config.HasRole("persister"))) {
    return InvalidArgument("node.roles: a node in memory stands alone and needs both roles");
  }
  return {};
}

Status CheckLab(const AppConfig& config) {
  if (config.lab_enabled) return {};
  const auto refused = [](const char* key) {
    return InvalidArgument(std::string(key) + ": keys under lab. need lab.enabled: true");
  };
  if (config.lab_fault_die != "never") return refused("lab.fault.die");
  if (!config.lab_coalesce) return refused("lab.coalesce");
  return {};
}

}  // namespace

Status CheckRules(const AppConfig& config) {
  for (const auto check : {CheckRoles, CheckListeners, CheckCluster, CheckBackends, CheckLab}) {
    const Status status = check(config);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace minichat::app
