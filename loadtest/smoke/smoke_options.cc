#include "loadtest/smoke/smoke_options.h"

#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>

namespace minichat::loadtest {
namespace {

bool ParseCount(const std::string& text, std::size_t* count) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), *count);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && *count > 0;
}

bool ParseRate(const std::string& text, double* rate) {
  char* end = nullptr;
  *rate = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && *rate > 0;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

bool SetOption(const std::string& name, const std::string& value, SmokeOptions* options) {
  if (name == "--cluster") options->cluster_file = value;
  if (name == "--modes") options->modes = SplitAtCommas(value);
  if (name == "--messages") return ParseCount(value, &options->messages);
  if (name == "--rooms") return ParseCount(value, &options->rooms);
  if (name == "--members") return ParseCount(value, &options->members);
  if (name == "--rate") return ParseRate(value, &options->rate);
  if (name == "--patience") {
    std::size_t seconds = 0;
    if (!ParseCount(value, &seconds)) return false;
    options->patience = std::chrono::seconds(seconds);
  }
  static const std::vector<std::string> kTexts{"--cluster", "--modes", "--patience"};
  for (const std::string& text : kTexts) {
    if (name == text) return true;
  }
  return false;
}

}  // namespace

Result<SmokeOptions> ParseSmokeOptions(const std::vector<std::string>& args) {
  SmokeOptions options;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--json") {
      options.json = true;
    } else if (args[i] == "--help") {
      options.help = true;
    } else if (i + 1 == args.size() || !SetOption(args[i], args[i + 1], &options)) {
      return InvalidArgument("unknown option or bad value: " + args[i]);
    } else {
      ++i;
    }
  }
  return options;
}

std::string SmokeUsage() {
  return "minichat-smoke: sends across all pairs of a running cluster's nodes, in each relay "
         "mode,\n"
         "and compares by id what was sent, acknowledged, logged, stored and received.\n"
         "Exit 0: all the same; 1: a difference, named on standard error; 2: can't run.\n"
         "Nobody else may use the cluster meanwhile: relay calls and the log are counted whole.\n"
         "\n"
         "  --cluster FILE    the running cluster (var/cluster.json)\n"
         "  --modes A,B       relay modes, one after the other (bulk,single,stream)\n"
         "  --messages N      per mode (120)\n"
         "  --rate R          messages per second, into all rooms together (100)\n"
         "  --rooms K         (3)\n"
         "  --members M       sessions per room, spread over the nodes (6)\n"
         "  --patience S      seconds to wait for what must still arrive (20)\n"
         "  --json            the result as JSON instead of a table\n";
}

}  // namespace minichat::loadtest
