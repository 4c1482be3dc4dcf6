#include "loadtest/live/cluster_watch.h"

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kPeriod{1};
constexpr milliseconds kScrapeLimit{700};  // a node that hangs delays the picture of the others

std::optional<MetricsSnapshot> Scrape(const ClusterNode& node) {
  const auto answer = CallHttp(node.admin, {.path = "/metrics"}, kScrapeLimit);
  if (!answer.ok() || answer->status != 200) return std::nullopt;
  return MetricsSnapshot::Parse(answer->body);
}

}  // namespace

ClusterWatch::ClusterWatch(Cluster cluster, LiveBoard& board)
    : cluster_(cluster), admin_(std::move(cluster)), board_(board), thread_([this] { Run(); }) {}

void ClusterWatch::Run() {
  Clock::time_point next = Clock::now();
  while (!board_.closed()) {
    const auto left = std::chrono::ceil<milliseconds>(next - Clock::now());
    const std::string mode = board_.AwaitMode(std::max(left, milliseconds(0)));
    if (!mode.empty()) SetMode(mode);
    if (Clock::now() < next) continue;
    Look();
    next = std::max(next + kPeriod, Clock::now());
  }
}

void ClusterWatch::Look() {
  std::vector<NodeScrape> scrape;
  for (const ClusterNode& node : cluster_.nodes) scrape.push_back({node.name, Scrape(node)});
  board_.SetFigures(figures_.Add(Clock::now(), std::move(scrape)));
}

void ClusterWatch::SetMode(const std::string& mode) {
  const Status set = admin_.SetClusterMode(mode);
  board_.SetModeError(set.ok() ? "" : set.message());
}

}  // namespace minichat::loadtest
