#include "loadtest/experiments/overload/breaker_report.h"

#include <gtest/gtest.h>

namespace minichat::lab {
namespace {

using State = Breaker::State;
using Names = std::vector<std::string>;

BreakerResult Expected() {
  BreakerResult result;
  result.changes = {{0, State::kClosed, 10}, {2, State::kOpen, 0},       {150, State::kHalfOpen, 3},
                    {152, State::kOpen, 0},  {500, State::kHalfOpen, 3}, {503, State::kClosed, 20}};
  result.free_at_ms = 480;
  result.closed_at_ms = 503;
  for (int i = 0; i < 200; ++i) result.calls.push_back({100, State::kOpen, false, 0.2, -1});
  for (int i = 0; i < 20; ++i) result.calls.push_back({600, State::kClosed, true, 0.2, 0});
  return result;
}

Names BrokenChecks(const BreakerResult& result) {
  report::ReportDocument document;
  AddBreaker(BreakerPlan::Full(), result, &document);
  Names broken;
  for (const report::Check& check : document.checks) {
    if (!check.ok && !check.finding_only) broken.push_back(check.name);
  }
  return broken;
}

TEST(BreakerReportTest, HoldsWhenAllIsAsExpected) {
  EXPECT_EQ(BrokenChecks(Expected()), Names{});
}

TEST(BreakerReportTest, NoticesAnotherNumberOfProbes) {
  BreakerResult result = Expected();
  result.changes[2].admitted = 4;
  EXPECT_EQ(BrokenChecks(result), Names{"breaker: probes of each half-open stretch"});

  result.changes[2].admitted = 2;
  EXPECT_EQ(BrokenChecks(result), Names{"breaker: probes of each half-open stretch"});
}

TEST(BreakerReportTest, NoticesThatItStaysOpen) {
  BreakerResult result = Expected();
  result.closed_at_ms = *result.free_at_ms + 1'600;
  for (BreakerCall& call : result.calls) call.at_ms += 3'000;
  EXPECT_EQ(BrokenChecks(result).front(), "breaker: closed after the service is free");

  result.closed_at_ms.reset();
  EXPECT_EQ(BrokenChecks(result), (Names{"breaker: closed after the service is free",
                                         "breaker: calls that are answered after it closed"}));
}

TEST(BreakerReportTest, NoticesSlowRefusals) {
  BreakerResult result = Expected();
  for (int i = 0; i < 3; ++i) result.calls[static_cast<std::size_t>(i)].decision_us = 1'000;

  EXPECT_EQ(BrokenChecks(result), Names{"breaker: refusals' p99"});
}

TEST(BreakerReportTest, NoticesThatItNeverOpens) {
  BreakerResult result = Expected();
  result.changes = {{0, State::kClosed, 10}};

  EXPECT_EQ(BrokenChecks(result),
            (Names{"breaker: opens", "breaker: probes of each half-open stretch"}));
}

}  // namespace
}  // namespace minichat::lab
