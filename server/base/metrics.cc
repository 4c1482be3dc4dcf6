#include "server/base/metrics.h"

#include <vector>

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "server/base/mutex.h"

namespace minichat {
namespace {

const prometheus::Histogram::BucketBoundaries kLatencySeconds = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
const prometheus::Histogram::BucketBoundaries kSizes = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

}  // namespace

struct MetricsRegistry::State {
  prometheus::Registry registry;
  Mutex mutex;
  std::vector<std::function<void()>> collectors MINICHAT_GUARDED_BY(mutex);
};

MetricsRegistry::MetricsRegistry() : state_(std::make_unique<State>()) {}
MetricsRegistry::~MetricsRegistry() = default;

Counter& MetricsRegistry::AddCounter(const std::string& name, const std::string& help,
                                     const MetricLabels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(state_->registry).Add(labels);
}

Gauge& MetricsRegistry::AddGauge(const std::string& name, const std::string& help,
                                 const MetricLabels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(state_->registry).Add(labels);
}

Histogram& MetricsRegistry::AddLatency(const std::string& name, const std::string& help,
                                       const MetricLabels& labels) {
  return prometheus::BuildHistogram()
      .Name(name)
      .Help(help)
      .Register(state_->registry)
      .Add(labels, kLatencySeconds);
}

Histogram& MetricsRegistry::AddSizes(const std::string& name, const std::string& help,
                                     const MetricLabels& labels) {
  return prometheus::BuildHistogram()
      .Name(name)
      .Help(help)
      .Register(state_->registry)
      .Add(labels, kSizes);
}

void MetricsRegistry::AddCollector(std::function<void()> collector) {
  const MutexLock lock(state_->mutex);
  state_->collectors.push_back(std::move(collector));
}

std::string MetricsRegistry::Serialize() {
  std::vector<std::function<void()>> collectors;
  {
    const MutexLock lock(state_->mutex);
    collectors = state_->collectors;
  }
  for (const auto& collect : collectors) collect();
  return prometheus::TextSerializer().Serialize(state_->registry.Collect());
}

}  // namespace minichat
