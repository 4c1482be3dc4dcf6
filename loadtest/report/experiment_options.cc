#include "loadtest/report/experiment_options.h"

#include <algorithm>

namespace minichat::report {
namespace {

bool Contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

Status SetOption(const std::string& name, const std::string& value,
                 const std::vector<std::string>& parts, ExperimentOptions* options) {
  if (name == "--out") {
    options->out = value;
  } else if (name == "--only" && Contains(parts, value)) {
    options->only.push_back(value);
  } else {
    return InvalidArgument("unknown option or bad value: " + name + " " + value);
  }
  return {};
}

}  // namespace

bool ExperimentOptions::Wants(const std::string& part) const {
  return only.empty() || Contains(only, part);
}

Result<ExperimentOptions> ParseExperimentOptions(const std::vector<std::string>& args,
                                                 const std::vector<std::string>& parts) {
  ExperimentOptions options;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--quick") {
      options.quick = true;
    } else if (args[i] == "--help") {
      options.help = true;
    } else if (i + 1 == args.size()) {
      return InvalidArgument("unknown option or no value: " + args[i]);
    } else {
      const Status set = SetOption(args[i], args[i + 1], parts, &options);
      if (!set.ok()) return set;
      ++i;
    }
  }
  if (!options.help && !std::filesystem::is_directory(options.out)) {
    return InvalidArgument("--out must name a folder that is there");
  }
  return options;
}

std::string ExperimentUsage(const std::vector<std::string>& parts) {
  std::string text =
      "  --out DIR     where report.json and the raw data go (must be there)\n"
      "  --quick       shorter, for tests\n";
  if (parts.empty()) return text;
  text += "  --only PART   one part; may be repeated. The parts:";
  for (const std::string& part : parts) text += " " + part;
  return text + "\n";
}

}  // namespace minichat::report
