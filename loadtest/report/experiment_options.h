#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/base/status.h"

namespace minichat::report {

// What every experiment program is told.
struct ExperimentOptions {
  std::filesystem::path out;           // where report.json and the raw data go; must be there
  bool quick = false;                  // shorter, for tests: the same checks on smaller figures
  std::vector<std::string> only = {};  // --only PART, may be repeated; empty: all parts
  bool help = false;

  bool Wants(const std::string& part) const;
};

// `parts`: what --only may name. Refuses what it doesn't know, and a folder that isn't there.
Result<ExperimentOptions> ParseExperimentOptions(const std::vector<std::string>& args,
                                                 const std::vector<std::string>& parts = {});

// The lines of --help for these options.
std::string ExperimentUsage(const std::vector<std::string>& parts = {});

}  // namespace minichat::report
