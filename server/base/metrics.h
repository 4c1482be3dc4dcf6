#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace prometheus {
class Registry;
}

namespace minichat {

using Counter = prometheus::Counter;
using Gauge = prometheus::Gauge;
using Histogram = prometheus::Histogram;
using MetricLabels = std::map<std::string, std::string>;

// All metrics of one process. Each module makes a struct of references once, at start, and keeps
// it: looking a metric up locks and allocates. Label values come from enums and node names only.
//
// Lifetime:  outlives all references that it gave out.
// Threading: thread-safe.
class MetricsRegistry {
 public:
  MetricsRegistry();
  ~MetricsRegistry();

  // The same name and labels give the same metric.
  Counter& AddCounter(const std::string& name, const std::string& help,
                      const MetricLabels& labels = {});
  Gauge& AddGauge(const std::string& name, const std::string& help,
                  const MetricLabels& labels = {});
  // Buckets around our limits: 1 ms to 10 s.
  Histogram& AddLatency(const std::string& name, const std::string& help,
                        const MetricLabels& labels = {});
  Histogram& AddSizes(const std::string& name, const std::string& help,
                      const MetricLabels& labels = {});

  // Run at each scrape, before serialising: for values that are read, not counted.
  void AddCollector(std::function<void()> collector);
  // Prometheus text format 0.0.4.
  std::string Serialize();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace minichat
