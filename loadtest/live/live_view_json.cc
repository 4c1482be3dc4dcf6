#include "loadtest/live/live_view_json.h"

#include <boost/json.hpp>

namespace minichat::loadtest {
namespace {

namespace json = boost::json;

json::value OrNull(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object SettingsToJson(const LiveSettings& settings) {
  return {{"members", settings.members},
          {"talkers", settings.talkers},
          {"rate", settings.rate},
          {"running", settings.running}};
}

json::object CountsToJson(const LiveCounts& counts) {
  json::object errors;
  for (const auto& [code, count] : counts.errors) errors[code] = count;
  return {{"sent", counts.sent},
          {"acked", counts.acked},
          {"errors", errors},
          {"received", counts.received},
          {"lost", counts.lost},
          {"repeated", counts.repeated},
          {"misordered", counts.misordered},
          {"late_sends", counts.late_sends},
          {"broken_connections", counts.broken_connections},
          {"behind", counts.behind}};
}

json::object LatencyToJson(const LiveLatency& latency) {
  return {{"p50", latency.p50_ms},
          {"p95", latency.p95_ms},
          {"p99", latency.p99_ms},
          {"max", latency.max_ms}};
}

json::object NodeToJson(const NodeFigures& node) {
  return {{"name", node.name},        {"up", node.up},         {"cpu_share", node.cpu_share},
          {"threads", node.threads},  {"active", node.active}, {"queued", node.queued},
          {"sessions", node.sessions}};
}

json::object SecondToJson(const LiveSecond& second) {
  json::array nodes;
  for (const NodeFigures& node : second.cluster.nodes) nodes.push_back(NodeToJson(node));
  return {{"at", second.at_ms},
          {"members", second.settings.members},
          {"talkers", second.settings.talkers},
          {"rate", second.settings.rate},
          {"sent", second.load.sent},
          {"acked", second.load.acked},
          {"received", second.load.received},
          {"p50", second.load.p50_ms},
          {"p95", second.load.p95_ms},
          {"max", second.load.max_ms},
          {"generator_cpu_share", second.load.cpu_share},
          {"mode", second.cluster.mode},
          {"tasks_per_message", OrNull(second.cluster.tasks_per_message)},
          {"calls_per_message", OrNull(second.cluster.calls_per_message)},
          {"nodes", nodes}};
}

}  // namespace

std::string ToJson(const std::string& label, std::size_t max_members, const LiveView& view) {
  json::array seconds;
  for (const LiveSecond& second : view.seconds) seconds.push_back(SecondToJson(second));
  return json::serialize(json::object{{"tool", "minichat-load"},
                                      {"version", MINICHAT_VERSION},
                                      {"label", label},
                                      {"max_members", max_members},
                                      {"settings", SettingsToJson(view.settings)},
                                      {"joined", view.counts.joined},
                                      {"mode_error", view.mode_error},
                                      {"counts", CountsToJson(view.counts)},
                                      {"latency_ms", LatencyToJson(view.latency)},
                                      {"seconds", seconds}});
}

}  // namespace minichat::loadtest
