#include "loadtest/client/metrics_text.h"

#include <algorithm>
#include <cstdlib>

namespace minichat::loadtest {
namespace {

// name="value",… up to the closing brace; escapes in values are \\, \" and \n.
std::size_t ParseLabels(std::string_view line, std::size_t at,
                        std::map<std::string, std::string, std::less<>>* labels) {
  while (at < line.size() && line[at] != '}') {
    const std::size_t equals = line.find('=', at);
    if (equals == std::string_view::npos) return line.size();
    std::string value;
    std::size_t i = equals + 2;
    for (; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) ++i;
      value.push_back(line[i]);
    }
    labels->emplace(line.substr(at, equals - at), std::move(value));
    at = i + 1;
    if (at < line.size() && line[at] == ',') ++at;
  }
  return at + 1;
}

}  // namespace

MetricsSnapshot MetricsSnapshot::Parse(std::string_view text) {
  MetricsSnapshot snapshot;
  while (!text.empty()) {
    const std::size_t eol = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, eol);
    text.remove_prefix(std::min(eol + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    const std::size_t name_end = line.find_first_of("{ ");
    if (name_end == std::string_view::npos) continue;
    Series series;
    std::size_t at = name_end;
    if (line[at] == '{') at = ParseLabels(line, at + 1, &series.labels);
    if (at >= line.size()) continue;
    series.value = std::strtod(std::string(line.substr(at)).c_str(), nullptr);
    snapshot.series_[std::string(line.substr(0, name_end))].push_back(std::move(series));
  }
  return snapshot;
}

bool MetricsSnapshot::Matches(const Series& series, std::initializer_list<Label> labels) {
  return std::all_of(labels.begin(), labels.end(), [&](const Label& label) {
    const auto it = series.labels.find(label.first);
    return it != series.labels.end() && it->second == label.second;
  });
}

double MetricsSnapshot::Sum(std::string_view name, std::initializer_list<Label> labels) const {
  const auto it = series_.find(name);
  if (it == series_.end()) return 0;
  double sum = 0;
  for (const Series& series : it->second) {
    if (Matches(series, labels)) sum += series.value;
  }
  return sum;
}

bool MetricsSnapshot::Has(std::string_view name, std::initializer_list<Label> labels) const {
  const auto it = series_.find(name);
  return it != series_.end() &&
         std::any_of(it->second.begin(), it->second.end(),
                     [&](const Series& series) { return Matches(series, labels); });
}

Result<MetricsSnapshot> ScrapeMetrics(const Endpoint& admin) {
  const Result<HttpAnswer> answer = CallHttp(admin, {.path = "/metrics"});
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) {
    return Unavailable("metrics of " + admin.ToString() + ": HTTP " +
                       std::to_string(answer->status));
  }
  return MetricsSnapshot::Parse(answer->body);
}

}  // namespace minichat::loadtest
