#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "loadtest/inspect/kafka_inspector.h"

// minichat-inspect: what stands on the topic of messages, as JSON, for the lab's programs.

namespace {

namespace json = boost::json;
using minichat::InvalidArgument;
using minichat::Result;
using minichat::Status;
using minichat::loadtest::Increase;
using minichat::loadtest::KafkaInspector;
using minichat::loadtest::LogOffsets;

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr const char* kUsage =
    "minichat-inspect: looks at the topic minichat.messages, without a consumer group.\n"
    "\n"
    "  ends --kafka HOST:PORT              where each partition ends: {\"ends\":{\"0\":12,…}}\n"
    "  log  --kafka HOST:PORT --from ENDS  what came since, ENDS as printed by `ends`:\n"
    "                                      {\"increase\":3,\"ids\":[…]}; an id is \"\" when the\n"
    "                                      record is no message\n";

json::object ToJson(const LogOffsets& offsets) {
  json::object object;
  for (const auto& [partition, offset] : offsets) object[std::to_string(partition)] = offset;
  return object;
}

Result<LogOffsets> ParseOffsets(const std::string& text) {
  json::error_code ec;
  const json::value value = json::parse(text, ec);
  if (ec || !value.is_object()) return InvalidArgument("--from: no offsets: " + text);
  LogOffsets offsets;
  for (const auto& each : value.get_object()) {
    const json::string_view key = each.key();
    std::int32_t partition = 0;
    const auto parsed = std::from_chars(key.begin(), key.end(), partition);
    if (parsed.ec != std::errc{} || parsed.ptr != key.end() || !each.value().is_int64()) {
      return InvalidArgument("--from: no offset of a partition: " + std::string(key));
    }
    offsets[partition] = each.value().get_int64();
  }
  return offsets;
}

Result<json::object> Ends(KafkaInspector& kafka) {
  const auto ends = kafka.Ends();
  if (!ends.ok()) return ends.status();
  return json::object{{"ends", ToJson(*ends)}};
}

Result<json::object> Since(KafkaInspector& kafka, const std::string& from) {
  const auto begin = ParseOffsets(from);
  if (!begin.ok()) return begin.status();
  const auto ends = kafka.Ends();
  if (!ends.ok()) return ends.status();
  const auto entries = kafka.Read(*begin, *ends);
  if (!entries.ok()) return entries.status();
  json::array ids;
  for (const auto& entry : *entries) ids.emplace_back(entry.id);
  return json::object{{"increase", Increase(*begin, *ends)}, {"ids", std::move(ids)}};
}

// "--kafka", "HOST:PORT", … as a map; empty when they are not pairs.
std::map<std::string, std::string> PairsOf(const std::vector<std::string>& args) {
  std::map<std::string, std::string> pairs;
  if (args.size() % 2 == 0) return pairs;
  for (std::size_t i = 1; i < args.size(); i += 2) pairs[args[i]] = args[i + 1];
  return pairs;
}

int Fail(int code, const std::string& why) {
  std::fprintf(stderr, "minichat-inspect: %s\n", why.c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args{argv + 1, argv + argc};
  const auto pairs = PairsOf(args);
  const std::string what = args.empty() ? "" : args[0];
  const std::size_t wanted = what == "ends" ? 1 : what == "log" ? 2 : 0;
  if (wanted == 0 || pairs.size() != wanted || !pairs.contains("--kafka") ||
      (what == "log" && !pairs.contains("--from"))) {
    std::fputs(kUsage, what == "--help" ? stdout : stderr);
    return what == "--help" ? 0 : kBadUsage;
  }
  KafkaInspector kafka(pairs.at("--kafka"));
  const auto answer = what == "ends" ? Ends(kafka) : Since(kafka, pairs.at("--from"));
  if (!answer.ok()) return Fail(kFailed, answer.status().message());
  std::printf("%s\n", json::serialize(*answer).c_str());
  return 0;
}
