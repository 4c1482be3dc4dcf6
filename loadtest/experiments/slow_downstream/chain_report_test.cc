#include "loadtest/experiments/slow_downstream/chain_report.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace minichat::lab {
namespace {

constexpr int kOk = 0;
constexpr int kCancelled = 1;
constexpr int kDeadlineExceeded = 4;

std::vector<CallResult> Calls(std::size_t count, double took_ms, int code = kOk) {
  return std::vector<CallResult>(count, CallResult{0, took_ms, code});
}

std::vector<CallResult> Pings(double waiting_ms, double later_ms) {
  std::vector<CallResult> pings;
  for (int i = 1; i <= 10; ++i) {
    const double at = i * 200;
    pings.push_back({at, at < 900 ? waiting_ms : later_ms, kOk});
  }
  return pings;
}

std::vector<HopRecord> Records(std::size_t count, std::optional<double> budget, double took_ms,
                               int code = kOk, bool gone = false) {
  return std::vector<HopRecord>(count, HopRecord{1, budget, 0, 0, took_ms, code, gone, 1});
}

// What the full experiment shows when all is as expected.
std::vector<ChainResult> Expected() {
  ChainResult none{Condition::kNoDeadline, 1, Calls(10, 1), Calls(4, 5'010), Pings(8'500, 8'500)};
  const auto late = Calls(4, 10'030);
  none.orders.insert(none.orders.end(), late.begin(), late.end());
  none.a = none.b = none.c = Records(8, std::nullopt, 5'000);

  ChainResult passed{Condition::kPropagated, 1, Calls(10, 1), Calls(8, 905, kDeadlineExceeded),
                     Pings(700, 2)};
  passed.a = Records(8, 999, 905, kDeadlineExceeded);
  passed.b = Records(8, 949, 900, kDeadlineExceeded);
  passed.c = Records(4, 899, 899, kCancelled, true);

  ChainResult dropped{Condition::kNotPropagated, 1, Calls(10, 1),
                      Calls(8, 1'002, kDeadlineExceeded), Pings(8'500, 8'500)};
  dropped.a = Records(8, 999, 5'001, kOk, true);
  dropped.b = dropped.c = Records(8, std::nullopt, 5'000);

  ChainResult async{Condition::kAsync, 1, Calls(10, 1), Calls(8, 5'005), Pings(1, 1)};
  async.a = async.b = async.c = Records(8, std::nullopt, 5'000);
  return {none, passed, dropped, async};
}

ChainResult& Of(Condition condition, std::vector<ChainResult>& results) {
  return *std::find_if(results.begin(), results.end(),
                       [&](const ChainResult& r) { return r.condition == condition; });
}

std::vector<std::string> BrokenChecks(const std::vector<ChainResult>& results) {
  std::vector<std::string> broken;
  for (const report::Check& check : ReportOf(ChainPlan::Full(), results).checks) {
    if (!check.ok && !check.finding_only) broken.push_back(check.name);
  }
  return broken;
}

using Names = std::vector<std::string>;

TEST(ChainReportTest, HoldsWhenAllIsAsExpected) {
  EXPECT_EQ(BrokenChecks(Expected()), Names{});
  EXPECT_TRUE(ReportOf(ChainPlan::Full(), Expected()).ok());
}

TEST(ChainReportTest, NoticesThatPingsDoNotWaitWithoutADeadline) {
  auto results = Expected();
  Of(Condition::kNoDeadline, results).pings.back().took_ms = 7'400;

  EXPECT_EQ(BrokenChecks(results), Names{"no deadline: Pings"});
}

TEST(ChainReportTest, NoticesThatAPassedOnDeadlineDoesNotFreeTheWorkers) {
  auto results = Expected();
  Of(Condition::kPropagated, results).pings.front().took_ms = 810;
  Of(Condition::kPropagated, results).pings.back().took_ms = 300;

  EXPECT_EQ(BrokenChecks(results),
            (Names{"passed on: Pings that wait behind orders", "passed on: later Pings"}));
}

TEST(ChainReportTest, NoticesWorkThatIsNotCancelled) {
  auto results = Expected();
  Of(Condition::kPropagated, results).c.front() = Records(1, 899, 5'000).front();

  EXPECT_EQ(BrokenChecks(results),
            (Names{"passed on: orders whose work at C is cancelled", "passed on: work at C"}));
}

TEST(ChainReportTest, NoticesABudgetThatIsNotTakenForInfinite) {
  auto results = Expected();
  Of(Condition::kNotPropagated, results).c.front().budget_ms = 9e15;
  Of(Condition::kNoDeadline, results).a.front().budget_ms = 9e15;

  EXPECT_EQ(BrokenChecks(results),
            (Names{"no deadline: orders whose budget A, B and C each recognise as infinite",
                   "not passed on: orders whose budget B and C each recognise as infinite"}));
}

TEST(ChainReportTest, NoticesOnwardWorkThatEndsEarly) {
  auto results = Expected();
  Of(Condition::kNotPropagated, results).c.front().took_ms = 4'000;

  EXPECT_EQ(BrokenChecks(results), Names{"not passed on: onward work at C"});
}

TEST(ChainReportTest, NoticesThatAsynchronousPingsWait) {
  auto results = Expected();
  Of(Condition::kAsync, results).pings.back().took_ms = 21;

  EXPECT_EQ(BrokenChecks(results), Names{"B asynchronous: Pings"});
}

TEST(ChainReportTest, DoesNotHoldWithoutSamples) {
  auto results = Expected();
  Of(Condition::kPropagated, results).pings.clear();

  const Names broken = BrokenChecks(results);

  EXPECT_EQ(broken, (Names{"passed on: Pings that wait behind orders", "passed on: later Pings"}));
}

}  // namespace
}  // namespace minichat::lab
