#include "loadtest/experiments/overload/pool_report.h"

#include <gtest/gtest.h>

namespace minichat::lab {
namespace {

constexpr int kOk = 0;
constexpr int kResourceExhausted = 8;

using Names = std::vector<std::string>;

PoolResult Sync() {
  PoolResult result;
  result.condition = SyncCondition(false);
  result.requests.assign(100, {0, 2'005, kOk});
  result.seconds = 10.2;
  return result;
}

PoolResult Reject(std::size_t refused) {
  PoolResult result;
  result.condition = RejectCondition(false);
  result.requests.assign(refused, {0, 1.5, kResourceExhausted});
  for (std::size_t i = refused; i < 100; ++i) {
    const std::size_t round = (i - refused) / 2 + 1;
    result.requests.push_back({0, 3'000.0 * static_cast<double>(round), kOk});
  }
  result.seconds = 18.1;
  return result;
}

Names BrokenChecks(const PoolResult& result, bool quick = false) {
  report::ReportDocument document;
  AddPools({result}, quick, &document);
  Names broken;
  for (const report::Check& check : document.checks) {
    if (!check.ok && !check.finding_only) broken.push_back(check.name);
  }
  return broken;
}

TEST(PoolReportTest, HoldsWhenAllIsAsExpected) {
  EXPECT_EQ(BrokenChecks(Sync()), Names{});
  EXPECT_EQ(BrokenChecks(Reject(88)), Names{});
  EXPECT_EQ(BrokenChecks(Reject(86)), Names{});
}

TEST(PoolReportTest, NoticesAnotherNumberOfRefusals) {
  EXPECT_EQ(BrokenChecks(Reject(85)), Names{"reject: refused"});
  EXPECT_EQ(BrokenChecks(Reject(89)), Names{"reject: refused"});
}

TEST(PoolReportTest, NoticesSlowRefusals) {
  PoolResult result = Reject(88);
  result.requests[0].took_ms = 50;
  EXPECT_EQ(BrokenChecks(result), Names{"reject: refusals' p99"});

  for (std::size_t i = 0; i < 20; ++i) result.requests[i].took_ms = 50;
  EXPECT_EQ(BrokenChecks(result, true), Names{"reject: refusals' p90"});
}

TEST(PoolReportTest, NoticesAcceptedRequestsThatDoNotFinish) {
  PoolResult result = Reject(88);
  result.requests.back().code = 4;

  EXPECT_EQ(BrokenChecks(result), Names{"reject: accepted that finish"});
}

TEST(PoolReportTest, NoticesWorkThatIsFasterThanItCanBe) {
  PoolResult result = Sync();
  result.seconds = 9.9;

  EXPECT_EQ(BrokenChecks(result), Names{"sync: all requests together"});
}

TEST(PoolReportTest, NoticesRefusalsWhereNoneMayBe) {
  PoolResult result = Sync();
  result.condition = UnboundedCondition(false);
  result.requests.back().code = kResourceExhausted;

  EXPECT_EQ(BrokenChecks(result), Names{"unbounded: requests that end OK"});
}

}  // namespace
}  // namespace minichat::lab
