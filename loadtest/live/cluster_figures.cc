#include "loadtest/live/cluster_figures.h"

#include <algorithm>
#include <array>

namespace minichat::loadtest {
namespace {

constexpr std::array<const char*, 3> kModes = {"bulk", "single", "stream"};
constexpr const char* kExecutor = "fanout";

std::string ModeOf(const MetricsSnapshot& metrics) {
  for (const char* mode : kModes) {
    if (metrics.Sum("minichat_relay_mode", {{"mode", mode}}) == 1) return mode;
  }
  return {};
}

std::string CommonMode(const std::vector<NodeScrape>& nodes) {
  std::string common;
  for (const NodeScrape& node : nodes) {
    if (!node.metrics) continue;
    const std::string mode = ModeOf(*node.metrics);
    if (!common.empty() && mode != common) return "mixed";
    common = mode;
  }
  return common;
}

// What a counter of all nodes grew by; nothing when a node is missing, or began anew.
template <class Read>
std::optional<double> Growth(const std::vector<NodeScrape>& from, const std::vector<NodeScrape>& to,
                             Read read) {
  double sum = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!from[i].metrics || !to[i].metrics) return std::nullopt;
    const double grown = read(*to[i].metrics) - read(*from[i].metrics);
    if (grown < 0) return std::nullopt;
    sum += grown;
  }
  return sum;
}

double Messages(const MetricsSnapshot& metrics) {
  return metrics.Sum("minichat_messages_acked_total");
}

double Calls(const MetricsSnapshot& metrics) {
  return metrics.Sum("minichat_relay_calls_total");
}

// Those that the submitting thread had to run itself count as rejected.
double Tasks(const MetricsSnapshot& metrics) {
  return metrics.Sum("executor_completed_tasks_total", {{"name", kExecutor}}) +
         metrics.Sum("executor_rejected_tasks_total", {{"name", kExecutor}});
}

template <class Read>
std::optional<double> PerMessage(const std::vector<NodeScrape>& from,
                                 const std::vector<NodeScrape>& to, Read read) {
  const std::optional<double> messages = Growth(from, to, Messages);
  const std::optional<double> grown = Growth(from, to, read);
  if (!messages || !grown || *messages == 0) return std::nullopt;
  return *grown / *messages;
}

NodeFigures FiguresOf(const NodeScrape& before, const NodeScrape& now, double seconds) {
  NodeFigures figures{.name = now.name};
  if (!now.metrics) return figures;
  figures.up = true;
  figures.threads = now.metrics->Sum("executor_pool_size_threads", {{"name", kExecutor}});
  figures.active = now.metrics->Sum("executor_active_threads", {{"name", kExecutor}});
  figures.queued = now.metrics->Sum("executor_queued_tasks", {{"name", kExecutor}});
  figures.sessions = now.metrics->Sum("minichat_sessions");
  if (before.metrics && seconds > 0) {
    const double used = now.metrics->Sum("process_cpu_seconds_total") -
                        before.metrics->Sum("process_cpu_seconds_total");
    figures.cpu_share = std::max(0.0, used / seconds);
  }
  return figures;
}

}  // namespace

ClusterFigures FiguresFromScrapes::Add(Time when, std::vector<NodeScrape> scrape) {
  moments_.push_back({when, std::move(scrape)});
  if (moments_.size() > kWindow + 1) moments_.pop_front();
  const Moment& now = moments_.back();
  const Moment& before = moments_.size() > 1 ? moments_[moments_.size() - 2] : now;
  const double seconds = std::chrono::duration<double>(now.when - before.when).count();
  ClusterFigures figures;
  figures.mode = CommonMode(now.nodes);
  for (std::size_t i = 0; i < now.nodes.size(); ++i) {
    figures.nodes.push_back(FiguresOf(before.nodes[i], now.nodes[i], seconds));
  }
  figures.tasks_per_message = PerMessage(moments_.front().nodes, now.nodes, Tasks);
  figures.calls_per_message = PerMessage(moments_.front().nodes, now.nodes, Calls);
  return figures;
}

}  // namespace minichat::loadtest
