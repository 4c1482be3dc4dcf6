#include "loadtest/smoke/report.h"

#include <cstdarg>
#include <cstdio>

#include <boost/json.hpp>

namespace minichat::loadtest {
namespace {

namespace json = boost::json;

__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

std::string Of(std::size_t seen, std::size_t expected) {
  return std::to_string(seen) + "/" + std::to_string(expected);
}

std::string Row(const ModeResult& r) {
  return Format(
      "%-7s %6zu %6zu %15s %5zu %6zu %9zu %15s %6zu %7lld %9zu %6s %8.1f %8.1f %9.1f %9.1f\n",
      r.mode.c_str(), r.sent, r.acked, Of(r.received.got, r.received.expected).c_str(),
      r.received.lost, r.received.twice, r.received.out_of_order,
      Of(r.relay_calls, r.relay_calls_computed).c_str(), r.pulls,
      static_cast<long long>(r.log_increase), r.rows, Of(r.pairs, r.pairs_expected).c_str(),
      r.ack.p50, r.ack.p99, r.delivery.p50, r.delivery.p99);
}

json::object ModeToJson(const ModeResult& r) {
  json::object errors;
  for (const auto& [code, count] : r.errors) errors[code] = count;
  return {{"mode", r.mode},
          {"sent", r.sent},
          {"acked", r.acked},
          {"errors", errors},
          {"delivered", r.received.got},
          {"delivered_expected", r.received.expected},
          {"lost", r.received.lost},
          {"twice", r.received.twice},
          {"out_of_order", r.received.out_of_order},
          {"never_acked", r.received.strange},
          {"node_pairs", r.pairs},
          {"node_pairs_expected", r.pairs_expected},
          {"relay_calls", r.relay_calls},
          {"relay_calls_computed", r.relay_calls_computed},
          {"relay_calls_failed", r.relay_calls_failed},
          {"relay_calls_other_mode", r.relay_calls_other},
          {"pulls", r.pulls},
          {"kafka_increase", r.log_increase},
          {"postgres_rows", r.rows},
          {"closed_sessions", r.closed_sessions},
          {"late_sends", r.late_sends},
          {"ack_ms", {{"p50", r.ack.p50}, {"p99", r.ack.p99}}},
          {"delivery_ms", {{"p50", r.delivery.p50}, {"p99", r.delivery.p99}}},
          {"differences", json::value_from(r.differences)}};
}

}  // namespace

std::string ToTable(const SmokeResult& result) {
  std::string text = Format(
      "%zu nodes, %zu rooms of %zu members, %zu messages per mode at %g/s\n\n", result.nodes,
      result.options.rooms, result.options.members, result.options.messages, result.options.rate);
  text += Format("%-7s %6s %6s %15s %5s %6s %9s %15s %6s %7s %9s %6s %17s %19s\n", "", "", "",
                 "delivered", "", "", "out of", "relay calls", "", "Kafka", "Postgres", "node",
                 "ack ms", "delivery ms");
  text += Format("%-7s %6s %6s %15s %5s %6s %9s %15s %6s %7s %9s %6s %8s %8s %9s %9s\n", "mode",
                 "sent", "acked", "got/expected", "lost", "twice", "order", "seen/computed",
                 "pulls", "records", "rows", "pairs", "p50", "p99", "p50", "p99");
  for (const ModeResult& mode : result.modes) text += Row(mode);
  text += '\n';
  for (const ModeResult& mode : result.modes) {
    for (const std::string& difference : mode.differences) {
      text += "DIFFERENT in " + mode.mode + ": " + difference + "\n";
    }
  }
  text += result.ok() ? "all right: every copy has the same messages, by id\n" : "NOT all right\n";
  return text;
}

std::string ToJson(const SmokeResult& result) {
  json::array modes;
  for (const ModeResult& mode : result.modes) modes.push_back(ModeToJson(mode));
  return json::serialize(json::object{{"ok", result.ok()},
                                      {"nodes", result.nodes},
                                      {"rooms", result.options.rooms},
                                      {"members", result.options.members},
                                      {"messages", result.options.messages},
                                      {"rate", result.options.rate},
                                      {"modes", std::move(modes)}}) +
         "\n";
}

}  // namespace minichat::loadtest
