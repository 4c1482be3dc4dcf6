#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loadtest/client/http.h"

namespace minichat::loadtest {

// One scrape of /metrics (Prometheus text format).
//
// Threading: immutable.
class MetricsSnapshot {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  static MetricsSnapshot Parse(std::string_view text);

  // Sum of all series of `name` that have these labels; 0 when there is none.
  double Sum(std::string_view name, std::initializer_list<Label> labels = {}) const;
  bool Has(std::string_view name, std::initializer_list<Label> labels = {}) const;

 private:
  struct Series {
    std::map<std::string, std::string, std::less<>> labels;
    double value = 0;
  };
  static bool Matches(const Series& series, std::initializer_list<Label> labels);

  std::map<std::string, std::vector<Series>, std::less<>> series_;
};

Result<MetricsSnapshot> ScrapeMetrics(const Endpoint& admin);

}  // namespace minichat::loadtest
