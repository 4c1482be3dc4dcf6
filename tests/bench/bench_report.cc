#include "tests/bench/bench_report.h"

#include <boost/json.hpp>

namespace minichat::bench {
namespace {

namespace json = boost::json;

std::string ConditionLine(const GroupResult& result, std::size_t index) {
  const ConditionResult& condition = result.conditions[index];
  return Line("  %-18s %8.2f %6.2fx %8.2f %8.2f %12.0f %8.1f %8.1f %8.1f",
              condition.condition.name.c_str(), condition.Median(&Sample::node_cpu_us),
              result.CpuRatio(index), condition.Median(&Sample::redis_cpu_us),
              condition.Median(&Sample::generator_cpu_us),
              condition.Median(&Sample::deliveries_per_s), condition.Median(&Sample::p50_ms),
              condition.Median(&Sample::p95_ms), condition.Median(&Sample::p99_ms));
}

std::string GroupTable(const GroupResult& result) {
  std::string text = "\n" + result.group.title + " (medians; nodes idle: ";
  text += Line("%.1f ms CPU a second)", result.idle_cpu_ms_per_s);
  text += Line("  %-18s %8s %7s %8s %8s %12s %8s %8s %8s", "", "node us", "ratio", "redis us",
               "load us", "deliveries/s", "p50 ms", "p95 ms", "p99 ms");
  for (std::size_t i = 0; i < result.conditions.size(); ++i) text += ConditionLine(result, i);
  for (const ConditionResult& condition : result.conditions) {
    for (const Sample& sample : condition.samples) {
      if (sample.invalid.empty()) continue;
      text += "  INVALID " + condition.condition.name + ": " + sample.invalid + "\n";
    }
  }
  return text;
}

json::object ToObject(const Sample& sample) {
  return {{"node_cpu_us_per_delivery", sample.node_cpu_us},
          {"redis_cpu_us_per_delivery", sample.redis_cpu_us},
          {"generator_cpu_us_per_delivery", sample.generator_cpu_us},
          {"deliveries", sample.deliveries},
          {"deliveries_per_s", sample.deliveries_per_s},
          {"p50_ms", sample.p50_ms},
          {"p95_ms", sample.p95_ms},
          {"p99_ms", sample.p99_ms},
          {"invalid", sample.invalid}};
}

json::object ToObject(const GroupResult& result) {
  json::array conditions;
  for (std::size_t i = 0; i < result.conditions.size(); ++i) {
    json::array samples;
    for (const Sample& sample : result.conditions[i].samples) samples.push_back(ToObject(sample));
    conditions.push_back(json::object{{"name", result.conditions[i].condition.name},
                                      {"cpu_ratio_to_first", result.CpuRatio(i)},
                                      {"samples", std::move(samples)}});
  }
  const Group& group = result.group;
  return {{"name", group.name},
          {"title", group.title},
          {"stored", group.stored},
          {"members", group.members},
          {"rate", group.pace.rate},
          {"in_flight", group.pace.in_flight},
          {"seconds", group.pace.duration.count()},
          {"idle_cpu_ms_per_s", result.idle_cpu_ms_per_s},
          {"conditions", std::move(conditions)}};
}

}  // namespace

std::string ToTable(const std::vector<GroupResult>& results) {
  std::string text;
  for (const GroupResult& result : results) text += GroupTable(result);
  return text;
}

std::string ToJson(const std::vector<GroupResult>& results) {
  json::array groups;
  for (const GroupResult& result : results) groups.push_back(ToObject(result));
  return json::serialize(groups);
}

}  // namespace minichat::bench
