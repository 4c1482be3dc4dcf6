#include "loadtest/load_program/load_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using testing::HasSubstr;

class LoadReportTest : public testing::Test {
 protected:
  LoadReportTest() {
    result_.counts.sent = 2;
    result_.counts.acked = 2;
    result_.counts.expected = 6;
    result_.counts.received = 6;
    result_.delivery.Add(std::chrono::milliseconds(2));
    result_.send_seconds = 2;
    result_.send_cpu_seconds = 0.5;
  }
  LoadReport Report() { return {command_, 3, 100, {}, {}, result_}; }

  LoadCommand command_;
  LoadResult result_;
};

TEST_F(LoadReportTest, AnExactRunHasNoFinding) {
  const auto document = ToJson(Report());

  EXPECT_TRUE(document.at("ok").as_bool());
  EXPECT_EQ(document.at("findings").as_string(), "");
  EXPECT_EQ(document.at("counts").at("expected").to_number<int>(), 6);
  EXPECT_EQ(document.at("generator").at("cpu_share").as_double(), 0.25);
  EXPECT_EQ(document.at("generator").at("open_files_limit").to_number<int>(), 100);
  EXPECT_NEAR(document.at("latency_ms").at("delivery").at("p999").as_double(), 2, 0.01);
  EXPECT_EQ(document.at("latency_ms").at("delivery_cdf").as_array().back().at(1).as_double(), 1);
  EXPECT_FALSE(document.contains("ids_file"));
  EXPECT_THAT(ToTable(Report()), HasSubstr("all right"));
}

TEST_F(LoadReportTest, WhatIsBrokenStandsInAllForms) {
  result_.counts.lost = 1;
  result_.closed_connections = 2;
  result_.close_cause = "4008";

  const std::string wanted = "1 lost, 2 connections ended early (the last: 4008)";
  EXPECT_EQ(Report().Findings(), wanted);
  EXPECT_FALSE(ToJson(Report()).at("ok").as_bool());
  EXPECT_EQ(ToJson(Report()).at("findings").as_string(), wanted);
  EXPECT_THAT(ToTable(Report()), HasSubstr("NOT all right: " + wanted));
}

TEST_F(LoadReportTest, MisorderedOnesAreAFindingUnlessAllowed) {
  result_.counts.misordered = 3;
  EXPECT_EQ(Report().Findings(), "3 misordered");

  command_.allow_misordered = true;
  EXPECT_TRUE(Report().ok());
  EXPECT_EQ(ToJson(Report()).at("counts").at("misordered").to_number<int>(), 3);
  EXPECT_THAT(ToTable(Report()), HasSubstr("misordered ones were allowed"));
}

TEST_F(LoadReportTest, ProgressSaysWhatTheLastSecondBrought) {
  const std::string line =
      ProgressLine({{.second = 11, .p50_ms = 1.5, .cpu_share = 0.25}, result_.counts, true});

  EXPECT_THAT(line, HasSubstr("12 s draining"));
  EXPECT_THAT(line, HasSubstr("received 6 of 6"));
  EXPECT_THAT(line, HasSubstr("p50 1.5"));
  EXPECT_THAT(line, HasSubstr("cpu 25 %"));
}

}  // namespace
}  // namespace minichat::loadtest
