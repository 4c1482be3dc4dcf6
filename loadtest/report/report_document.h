#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/base/status.h"

namespace minichat::report {

// One cell of a table. A number that is not finite is written as null: nothing was measured.
using Cell = std::variant<std::string, double, std::int64_t, bool>;

struct Column {
  std::string name;
  std::string unit = {};  // empty: none
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};  // each as long as `columns`
};

enum class PlotKind { kLine, kBar, kCdf };

struct Axis {
  std::string label;
  std::string unit = {};
  bool log = false;
};

// A stretch of the x axis with a name, such as "connecting".
struct Mark {
  double from = 0;
  double to = 0;
  std::string label;
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points = {};
};

struct Plot {
  std::string title;
  PlotKind kind = PlotKind::kLine;
  Axis x;
  Axis y;
  std::string axes = {};  // plots with the same one are drawn with equal axes; empty: its own
  std::vector<Mark> marks = {};
  std::vector<Series> series = {};
};

struct Section {
  std::string title;
  std::string text = {};  // plain words
  std::vector<Table> tables = {};
  std::vector<Plot> plots = {};
};

// What had to hold and what was seen.
struct Check {
  std::string name;
  std::string wanted;
  std::string seen;
  bool ok = false;
  bool finding_only = false;  // a timing that a busy machine moves: shown, but fails nothing
};

// What one run of a lab experiment found, in the form that all experiments share; a page is made
// from it.
//
// Threading: thread-compatible.
// Limits:    texts must be valid UTF-8.
struct ReportDocument {
  std::string experiment;  // the name by which it is started
  std::string title;
  std::string summary;             // one paragraph
  std::int64_t started_at_ms = 0;  // since 1970; written as ISO 8601, UTC
  std::int64_t ended_at_ms = 0;
  bool quick = false;
  // What this program knows of how it ran; whoever starts it adds the machine and the versions.
  std::vector<std::pair<std::string, Cell>> manifest = {};
  std::vector<Section> sections = {};
  std::vector<Check> checks = {};
  std::vector<std::string> findings = {};  // plain sentences
  // Why the figures mean nothing. Then neither sections nor findings are written: no percentile of
  // a run that is void may be quoted.
  std::string void_reason = {};

  // Not void, and every check holds that is more than a finding.
  bool ok() const;
};

std::string ToJson(const ReportDocument& document);

// Writes `dir`/report.json. The folder must be there.
Status WriteReport(const std::filesystem::path& dir, const ReportDocument& document);
// Writes `dir`/`name`: the raw data, which is already JSON.
Status WriteRawData(const std::filesystem::path& dir, const std::string& name,
                    const std::string& json);

// One line for each check and for each finding, for whoever started the experiment by hand.
std::string ToText(const ReportDocument& document);

// A JSON number, or null when `value` is not finite.
std::string JsonNumber(double value);

}  // namespace minichat::report
