#include "loadtest/report/report_document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "server/base/json_writer.h"

namespace minichat::report {
namespace {

template <class Items, class ToJsonOf>
std::string ArrayOf(const Items& items, ToJsonOf to_json) {
  std::vector<std::string> values;
  values.reserve(items.size());
  for (const auto& item : items) values.push_back(to_json(item));
  return JsonArray(values);
}

std::string TextToJson(const std::string& text) {
  std::string json;
  AppendJsonString(json, text);
  return json;
}

struct CellToJson {
  std::string operator()(const std::string& text) const { return TextToJson(text); }
  std::string operator()(double value) const { return JsonNumber(value); }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
};

std::string ToJson(const Cell& cell) {
  return std::visit(CellToJson{}, cell);
}

void AddUnit(const std::string& unit, JsonObject& object) {
  if (!unit.empty()) object.Add("unit", unit);
}

std::string ToJson(const Column& column) {
  JsonObject object;
  object.Add("name", column.name);
  AddUnit(column.unit, object);
  return object.Take();
}

std::string ToJson(const Table& table) {
  const auto cells = [](const std::vector<Cell>& row) {
    return ArrayOf(row, [](const Cell& cell) { return ToJson(cell); });
  };
  return JsonObject()
      .Add("title", table.title)
      .AddRaw("columns", ArrayOf(table.columns, [](const Column& c) { return ToJson(c); }))
      .AddRaw("rows", ArrayOf(table.rows, cells))
      .Take();
}

std::string ToJson(const Axis& axis) {
  JsonObject object;
  object.Add("label", axis.label);
  AddUnit(axis.unit, object);
  if (axis.log) object.Add("log", true);
  return object.Take();
}

std::string ToJson(const Mark& mark) {
  return JsonObject()
      .AddRaw("from", JsonNumber(mark.from))
      .AddRaw("to", JsonNumber(mark.to))
      .Add("label", mark.label)
      .Take();
}

std::string ToJson(const Series& series) {
  const auto point = [](const std::pair<double, double>& p) {
    return "[" + JsonNumber(p.first) + "," + JsonNumber(p.second) + "]";
  };
  return JsonObject()
      .Add("name", series.name)
      .AddRaw("points", ArrayOf(series.points, point))
      .Take();
}

const char* NameOf(PlotKind kind) {
  switch (kind) {
    case PlotKind::kLine:
      return "line";
    case PlotKind::kBar:
      return "bar";
    case PlotKind::kCdf:
      return "cdf";
  }
  return "line";
}

std::string ToJson(const Plot& plot) {
  JsonObject object;
  object.Add("title", plot.title)
      .Add("kind", NameOf(plot.kind))
      .AddRaw("x", ToJson(plot.x))
      .AddRaw("y", ToJson(plot.y));
  if (!plot.axes.empty()) object.Add("axes", plot.axes);
  if (!plot.marks.empty()) {
    object.AddRaw("marks", ArrayOf(plot.marks, [](const Mark& m) { return ToJson(m); }));
  }
  object.AddRaw("series", ArrayOf(plot.series, [](const Series& s) { return ToJson(s); }));
  return object.Take();
}

std::string ToJson(const Section& section) {
  return JsonObject()
      .Add("title", section.title)
      .Add("text", section.text)
      .AddRaw("tables", ArrayOf(section.tables, [](const Table& t) { return ToJson(t); }))
      .AddRaw("plots", ArrayOf(section.plots, [](const Plot& p) { return ToJson(p); }))
      .Take();
}

std::string ToJson(const Check& check) {
  JsonObject object;
  object.Add("name", check.name)
      .Add("wanted", check.wanted)
      .Add("seen", check.seen)
      .Add("ok", check.ok);
  if (check.finding_only) object.Add("finding_only", true);
  return object.Take();
}

// "2026-01-02T03:04:05.678Z".
std::string UtcText(std::int64_t ms) {
  const auto seconds = static_cast<std::time_t>(ms / 1'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(ms % 1'000));
  return std::string(text, length) + fraction;
}

std::string ManifestToJson(const ReportDocument& document) {
  JsonObject object;
  for (const auto& [key, value] : document.manifest) object.AddRaw(key, ToJson(value));
  return object.Take();
}

Status WriteFile(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text << '\n';
  out.close();
  return out ? Status() : Unavailable("report: can't write " + file.string());
}

const char* Verdict(const Check& check) {
  if (check.ok) return "ok     ";
  return check.finding_only ? "differs" : "FAILED ";
}

}  // namespace

bool ReportDocument::ok() const {
  const auto holds = [](const Check& check) { return check.ok || check.finding_only; };
  return void_reason.empty() && std::all_of(checks.begin(), checks.end(), holds);
}

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string ToJson(const ReportDocument& document) {
  const bool is_void = !document.void_reason.empty();
  const std::vector<Section> sections = is_void ? std::vector<Section>{} : document.sections;
  const std::vector<std::string> findings =
      is_void ? std::vector<std::string>{} : document.findings;
  return JsonObject()
      .Add("experiment", document.experiment)
      .Add("title", document.title)
      .Add("summary", document.summary)
      .Add("started_at", UtcText(document.started_at_ms))
      .Add("ended_at", UtcText(document.ended_at_ms))
      .Add("quick", document.quick)
      .AddRaw("manifest", ManifestToJson(document))
      .AddRaw("sections", ArrayOf(sections, [](const Section& s) { return ToJson(s); }))
      .AddRaw("checks", ArrayOf(document.checks, [](const Check& c) { return ToJson(c); }))
      .AddRaw("findings", ArrayOf(findings, TextToJson))
      .Add("void", document.void_reason)
      .Take();
}

Status WriteReport(const std::filesystem::path& dir, const ReportDocument& document) {
  return WriteFile(dir / "report.json", ToJson(document));
}

Status WriteRawData(const std::filesystem::path& dir, const std::string& name,
                    const std::string& json) {
  return WriteFile(dir / name, json);
}

std::string ToText(const ReportDocument& document) {
  std::string text = document.title + "\n";
  for (const Check& check : document.checks) {
    text += std::string("  ") + Verdict(check) + "  " + check.name + ": " + check.seen +
            " (wanted " + check.wanted + ")\n";
  }
  if (!document.void_reason.empty()) return text + "  VOID: " + document.void_reason + "\n";
  for (const std::string& finding : document.findings) text += "  - " + finding + "\n";
  return text;
}

}  // namespace minichat::report
