#include "loadtest/client/cluster_admin.h"

#include <algorithm>

#include <boost/json.hpp>

namespace minichat::loadtest {
namespace {

namespace json = boost::json;
constexpr const char* kRelayPath = "/admin/v1/relay";

Status RefusedStatus(const HttpAnswer& answer) {
  return Unavailable("relay mode: HTTP " + std::to_string(answer.status) + " " + answer.body);
}

}  // namespace

Result<std::optional<std::string>> ClusterAdmin::ClusterMode() const {
  const auto answer =
      CallHttp(cluster_.nodes.front().admin, {.path = kRelayPath, .bearer = cluster_.admin_key});
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return RefusedStatus(*answer);
  json::error_code ec;
  const json::value body = json::parse(answer->body, ec);
  if (ec || !body.is_object()) return Internal("relay mode: not JSON: " + answer->body);
  const json::value* cluster = body.get_object().if_contains("cluster_mode");
  if (cluster == nullptr || !cluster->is_string()) return std::optional<std::string>();
  return std::optional<std::string>(std::string(cluster->get_string()));
}

Status ClusterAdmin::SetClusterMode(const std::optional<std::string>& mode) const {
  const json::object body{{"mode", mode ? json::value(*mode) : json::value(nullptr)}};
  const auto answer = CallHttp(cluster_.nodes.front().admin, {.method = "PUT",
                                                              .path = kRelayPath,
                                                              .body = json::serialize(body),
                                                              .bearer = cluster_.admin_key});
  if (!answer.ok()) return answer.status();
  return answer->status / 100 == 2 ? Status() : RefusedStatus(*answer);
}

bool ClusterAdmin::AllNodesSeeEachOther() const {
  std::set<std::string> names;
  for (const ClusterNode& node : cluster_.nodes) names.insert(node.name);
  return std::all_of(cluster_.nodes.begin(), cluster_.nodes.end(), [&](const ClusterNode& node) {
    const std::set<std::string> live = LiveNodes(node.admin, cluster_.admin_key);
    return std::includes(live.begin(), live.end(), names.begin(), names.end());
  });
}

bool ClusterAdmin::AllNodesIn(std::string_view mode) const {
  const auto nodes = Scrape();
  return nodes.ok() && std::all_of(nodes->begin(), nodes->end(), [&](const MetricsSnapshot& node) {
           return node.Sum("minichat_relay_mode", {{"mode", mode}}) == 1;
         });
}

Result<std::vector<MetricsSnapshot>> ClusterAdmin::Scrape() const {
  std::vector<MetricsSnapshot> snapshots;
  for (const ClusterNode& node : cluster_.nodes) {
    Result<MetricsSnapshot> snapshot = ScrapeMetrics(node.admin);
    if (!snapshot.ok()) return snapshot.status();
    snapshots.push_back(std::move(snapshot).value());
  }
  return snapshots;
}

std::set<std::string> LiveNodes(const Endpoint& admin, const std::string& admin_key) {
  std::set<std::string> names;
  const auto answer = CallHttp(admin, {.path = "/admin/v1/status", .bearer = admin_key});
  if (!answer.ok() || answer->status != 200) return names;
  json::error_code ec;
  const json::value status = json::parse(answer->body, ec);
  const json::value* nodes =
      status.is_object() ? status.as_object().if_contains("live_nodes") : nullptr;
  if (nodes == nullptr || !nodes->is_array()) return names;
  for (const json::value& node : nodes->get_array()) names.emplace(node.at("name").as_string());
  return names;
}

double SumOver(const std::vector<MetricsSnapshot>& nodes, std::string_view name,
               std::initializer_list<MetricsSnapshot::Label> labels) {
  double sum = 0;
  for (const MetricsSnapshot& node : nodes) sum += node.Sum(name, labels);
  return sum;
}

}  // namespace minichat::loadtest
