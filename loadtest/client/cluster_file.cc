#include "loadtest/client/cluster_file.h"

#include <fstream>
#include <iterator>

#include <boost/json.hpp>

namespace minichat::loadtest {
namespace {

namespace json = boost::json;

std::string TextOf(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Status ReadEndpoint(const json::object& node, std::string_view key, Endpoint* endpoint) {
  Result<Endpoint> parsed = ParseEndpoint(TextOf(node, key));
  if (!parsed.ok()) return parsed.status();
  *endpoint = std::move(parsed).value();
  return {};
}

Result<ClusterNode> ReadNode(const json::value& value) {
  if (!value.is_object()) return InvalidArgument("cluster: a node is not an object");
  const json::object& object = value.get_object();
  ClusterNode node;
  node.name = TextOf(object, "name");
  if (const json::value* pid = object.if_contains("pid"); pid != nullptr && pid->is_int64()) {
    node.pid = static_cast<int>(pid->get_int64());
  }
  if (Status s = ReadEndpoint(object, "client", &node.client); !s.ok()) return s;
  if (Status s = ReadEndpoint(object, "admin", &node.admin); !s.ok()) return s;
  if (Status s = ReadEndpoint(object, "relay", &node.relay); !s.ok()) return s;
  return node;
}

}  // namespace

Result<Cluster> ParseCluster(std::string_view text) {
  json::error_code ec;
  const json::value value = json::parse(text, ec);
  if (ec || !value.is_object()) return InvalidArgument("cluster: not a JSON object");
  const json::object& object = value.get_object();
  const json::value* nodes = object.if_contains("nodes");
  if (nodes == nullptr || !nodes->is_array()) return InvalidArgument("cluster: no list of nodes");
  Cluster cluster;
  for (const json::value& entry : nodes->get_array()) {
    Result<ClusterNode> node = ReadNode(entry);
    if (!node.ok()) return node.status();
    cluster.nodes.push_back(std::move(node).value());
  }
  if (cluster.nodes.empty()) return InvalidArgument("cluster: no nodes");
  cluster.redis = TextOf(object, "redis");
  cluster.kafka = TextOf(object, "kafka");
  cluster.postgres = TextOf(object, "postgres");
  cluster.auth = TextOf(object, "auth");
  cluster.admin_key = TextOf(object, "admin_key");
  return cluster;
}

Result<Cluster> ReadClusterFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("cluster: can't read " + path + " (is a cluster up?)");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return ParseCluster(text);
}

}  // namespace minichat::loadtest
