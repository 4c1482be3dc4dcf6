#include "loadtest/report/report_document.h"

#include <fstream>
#include <limits>
#include <sstream>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace minichat::report {
namespace {

namespace json = boost::json;

ReportDocument SmallReport() {
  ReportDocument document;
  document.experiment = "overload";
  document.title = "A \"full\" pool";
  document.started_at_ms = 1'790'000'000'012;
  document.manifest = {{"workers", std::int64_t{10}}, {"over", "grpc"}};
  document.sections = {
      {"Bounded",
       "Thirteen are accepted.",
       {{"Requests", {{"policy"}, {"p50", "ms"}}, {{"reject", 1.5}, {"none", true}}}},
       {{"Requests by time",
         PlotKind::kCdf,
         {"time", "ms", true},
         {"share"},
         "cdf",
         {{0, 1, "start"}},
         {{"reject", {{1, 0.25}, {2, 1}}}}}}}};
  document.checks = {{"refused", "86 to 88", "87", true}};
  document.findings = {"A refusal costs nothing."};
  return document;
}

json::object Parsed(const ReportDocument& document) {
  return json::parse(ToJson(document)).as_object();
}

TEST(ReportDocumentTest, WritesEveryPartAsJson) {
  const json::object document = Parsed(SmallReport());

  EXPECT_EQ(document.at("experiment").as_string(), "overload");
  EXPECT_EQ(document.at("title").as_string(), "A \"full\" pool");
  EXPECT_EQ(document.at("started_at").as_string(), "2026-09-21T14:13:20.012Z");
  EXPECT_EQ(document.at("manifest").at("workers").as_int64(), 10);
  EXPECT_EQ(document.at("void").as_string(), "");
  EXPECT_EQ(document.at("findings").as_array().size(), 1u);
  EXPECT_EQ(json::serialize(document.at("checks")),
            R"([{"name":"refused","wanted":"86 to 88","seen":"87","ok":true}])");
}

TEST(ReportDocumentTest, WritesTablesAndPlotsOfASection) {
  const json::object document = Parsed(SmallReport());

  const json::value& section = document.at("sections").at(0);
  EXPECT_EQ(section.at("text").as_string(), "Thirteen are accepted.");
  EXPECT_EQ(json::serialize(section.at("tables").at(0).at("columns")),
            R"([{"name":"policy"},{"name":"p50","unit":"ms"}])");
  EXPECT_EQ(section.at("tables").at(0).at("rows").at(0).at(1).as_double(), 1.5);
  EXPECT_TRUE(section.at("tables").at(0).at("rows").at(1).at(1).as_bool());
  const json::value& plot = section.at("plots").at(0);
  EXPECT_EQ(plot.at("kind").as_string(), "cdf");
  EXPECT_TRUE(plot.at("x").at("log").as_bool());
  EXPECT_EQ(plot.at("axes").as_string(), "cdf");
  EXPECT_EQ(plot.at("marks").at(0).at("label").as_string(), "start");
  EXPECT_EQ(json::serialize(plot.at("series").at(0)),
            R"({"name":"reject","points":[[1,2.5E-1],[2,1]]})");
}

TEST(ReportDocumentTest, WritesNullForWhatWasNotMeasured) {
  EXPECT_EQ(JsonNumber(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(JsonNumber(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(JsonNumber(0.1), "0.1");
}

TEST(ReportDocumentTest, KeepsFiguresOutOfAVoidReport) {
  ReportDocument document = SmallReport();
  document.void_reason = "one scrape failed";

  const json::object parsed = Parsed(document);

  EXPECT_EQ(parsed.at("void").as_string(), "one scrape failed");
  EXPECT_TRUE(parsed.at("sections").as_array().empty());
  EXPECT_TRUE(parsed.at("findings").as_array().empty());
  EXPECT_EQ(ToText(document).find("costs nothing"), std::string::npos);
}

TEST(ReportDocumentTest, IsOkOnlyWhenEveryCheckThatCountsHolds) {
  ReportDocument document = SmallReport();
  EXPECT_TRUE(document.ok());

  document.checks.push_back({"p99", "< 50 ms", "61 ms", false, true});
  EXPECT_TRUE(document.ok());
  document.checks.push_back({"lost", "0", "1", false});
  EXPECT_FALSE(document.ok());

  document.checks.clear();
  document.void_reason = "the generator was too busy";
  EXPECT_FALSE(document.ok());
}

TEST(ReportDocumentTest, SaysWhereItCannotWrite) {
  const Status status = WriteReport("/nowhere/at/all", SmallReport());

  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("/nowhere/at/all/report.json"), std::string::npos);
}

TEST(ReportDocumentTest, WritesTheFile) {
  const std::filesystem::path dir =
      std::filesystem::path(testing::TempDir()) / "report_document_test";
  std::filesystem::create_directories(dir);

  ASSERT_TRUE(WriteReport(dir, SmallReport()).ok());

  std::stringstream text;
  text << std::ifstream(dir / "report.json").rdbuf();
  EXPECT_EQ(text.str(), ToJson(SmallReport()) + "\n");
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace minichat::report
