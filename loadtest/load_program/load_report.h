#pragma once

#include <string>

#include <boost/json.hpp>

#include "loadtest/load/load_generator.h"
#include "loadtest/load_program/load_command.h"

namespace minichat::loadtest {

// All that a run of minichat-load came to.
struct LoadReport {
  LoadCommand command;  // with the label that was used
  std::size_t connections = 0;
  std::size_t open_files_limit = 0;
  WallTime connect_start, connect_end;
  const LoadResult& result;  // outlives the report

  // Empty: all exact.
  std::string Findings() const;
  bool ok() const { return Findings().empty(); }
};

// The fields of docs/lab/load.md.
boost::json::object ToJson(const LoadReport& report);
std::string ToTable(const LoadReport& report);
// One line while a run goes on.
std::string ProgressLine(const LoadProgress& progress);

}  // namespace minichat::loadtest
