#include "loadtest/smoke/mode_result.h"

#include <functional>

#include <gtest/gtest.h>

#include "loadtest/smoke/report.h"

namespace minichat::loadtest {
namespace {

ModeResult AllRight() {
  ModeResult result;
  result.mode = "bulk";
  result.sent = result.acked = result.rows = 10;
  result.log_increase = 10;
  result.received.expected = result.received.got = 60;
  result.pairs = result.pairs_expected = 9;
  result.relay_calls = result.relay_calls_computed = 20;
  return result;
}

TEST(JudgeFiguresTest, FindsNothingWhenAllIsRight) {
  ModeResult result = AllRight();

  JudgeFigures(&result);

  EXPECT_TRUE(result.differences.empty());
}

TEST(JudgeFiguresTest, FindsEachFigureThatIsWrong) {
  const std::vector<std::function<void(ModeResult&)>> wrongs{
      [](ModeResult& r) { r.sent = 11; },
      [](ModeResult& r) { r.errors["unavailable"] = 1; },
      [](ModeResult& r) { r.received.got = 59; },
      [](ModeResult& r) { r.received.lost = 1; },
      [](ModeResult& r) { r.received.twice = 1; },
      [](ModeResult& r) { r.received.out_of_order = 1; },
      [](ModeResult& r) { r.received.strange = 1; },
      [](ModeResult& r) { r.relay_calls = 21; },
      [](ModeResult& r) { r.relay_calls_failed = 1; },
      [](ModeResult& r) { r.relay_calls_other = 1; },
      [](ModeResult& r) { r.pulls = 1; },
      [](ModeResult& r) { r.log_increase = 11; },
      [](ModeResult& r) { r.rows = 9; },
      [](ModeResult& r) { r.closed_sessions = 1; },
      [](ModeResult& r) { r.pairs = 8; },
  };
  for (const auto& wrong : wrongs) {
    ModeResult result = AllRight();
    wrong(result);

    JudgeFigures(&result);

    EXPECT_EQ(result.differences.size(), 1u);
  }
}

TEST(ReportTest, SaysInTableAndJsonThatSomethingIsDifferent) {
  SmokeResult result;
  result.modes.push_back(AllRight());
  EXPECT_NE(ToTable(result).find("all right"), std::string::npos);
  EXPECT_NE(ToJson(result).find("\"ok\":true"), std::string::npos);

  result.modes[0].differences.push_back("lost: 1 instead of 0");

  EXPECT_NE(ToTable(result).find("DIFFERENT in bulk: lost: 1 instead of 0"), std::string::npos);
  EXPECT_NE(ToJson(result).find("\"ok\":false"), std::string::npos);
}

TEST(SmokeOptionsTest, ReadsAndRefusesOptions) {
  const auto options = ParseSmokeOptions(
      {"--messages", "10000", "--rate", "200", "--rooms", "20", "--json", "--modes", "single"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->messages, 10'000u);
  EXPECT_EQ(options->rate, 200);
  EXPECT_EQ(options->rooms, 20u);
  EXPECT_TRUE(options->json);
  EXPECT_EQ(options->modes, std::vector<std::string>{"single"});

  EXPECT_FALSE(ParseSmokeOptions({"--message", "1"}).ok());
  EXPECT_FALSE(ParseSmokeOptions({"--messages"}).ok());
  EXPECT_FALSE(ParseSmokeOptions({"--messages", "0"}).ok());
  EXPECT_FALSE(ParseSmokeOptions({"--rate", "fast"}).ok());
}

}  // namespace
}  // namespace minichat::loadtest
