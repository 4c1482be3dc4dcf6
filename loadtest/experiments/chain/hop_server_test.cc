#include "loadtest/experiments/chain/hop_server.h"

#include <gtest/gtest.h>

#include "loadtest/experiments/chain/hop_client.h"
#include "tests/support/scratch_process.h"

namespace minichat::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kOk = 0;
constexpr int kDeadlineExceeded = 4;
constexpr int kResourceExhausted = 8;
constexpr seconds kLimit{20};
constexpr double kRoundingMs = 2;  // gRPC rounds a timeout up on its way

HopOptions Last(milliseconds work) {
  HopOptions options;
  options.name = "c";
  options.work = work;
  options.slice = milliseconds(5);
  return options;
}

HopOptions PassesOn(const HopServer& next, bool propagate) {
  HopOptions options;
  options.name = "b";
  options.next = "127.0.0.1:" + std::to_string(next.port());
  options.propagate_deadline = propagate;
  return options;
}

struct Caller {
  explicit Caller(const HopServer& server) : client("127.0.0.1:" + std::to_string(server.port())) {}

  // So many orders have arrived at the service and not ended.
  bool WaitForActive(std::uint32_t orders) {
    return test::WaitFor([&] { return client.View(start)->active == orders; }, kLimit);
  }

  // The order at the service once it has ended there.
  HopRecord Record() {
    std::vector<HopRecord> records;
    const auto ended = [&] {
      records = client.View(start)->records;
      return !records.empty();
    };
    return test::WaitFor(ended, kLimit) ? records.front() : HopRecord{};
  }

  TimePoint start = Now();
  HopClient client;
};

TEST(HopServerTest, PassesTheRemainingBudgetOnAndStopsWithIt) {
  HopServer c(Last(seconds(10)));
  ASSERT_TRUE(c.Start().ok());
  HopServer b(PassesOn(c, true));
  ASSERT_TRUE(b.Start().ok());
  Caller caller(b);

  EXPECT_EQ(caller.client.OrderAndWait(1, milliseconds(400)), kDeadlineExceeded);

  const HopRecord at_b = caller.Record();
  const HopRecord at_c = Caller(c).Record();
  ASSERT_TRUE(at_b.budget_ms && at_c.budget_ms);
  EXPECT_LE(*at_b.budget_ms, 400 + kRoundingMs);
  EXPECT_LE(*at_c.budget_ms, *at_b.budget_ms - 50 + kRoundingMs);
  EXPECT_TRUE(at_c.caller_gone);
  EXPECT_LT(at_c.took_ms, 5'000);
}

TEST(HopServerTest, WorksOnWithoutADeadlineWhenItIsNotPassedOn) {
  HopServer c(Last(milliseconds(300)));
  ASSERT_TRUE(c.Start().ok());
  HopServer b(PassesOn(c, false));
  ASSERT_TRUE(b.Start().ok());
  Caller caller(b);

  EXPECT_EQ(caller.client.OrderAndWait(1, milliseconds(100)), kDeadlineExceeded);

  const HopRecord at_c = Caller(c).Record();
  EXPECT_EQ(at_c.budget_ms, std::nullopt);
  EXPECT_EQ(at_c.code, kOk);
  EXPECT_GE(at_c.took_ms, 300);
  EXPECT_TRUE(caller.Record().caller_gone);
}

TEST(HopServerTest, RefusesWhatNoWorkerTakes) {
  HopOptions options = Last(seconds(10));
  options.workers = 1;
  options.queue_tasks = 1;
  HopServer c(options);
  ASSERT_TRUE(c.Start().ok());
  Caller caller(c);
  CallGatherer held(caller.start);
  caller.client.Order(1, seconds(1), held);
  caller.client.Order(2, seconds(1), held);

  ASSERT_TRUE(caller.WaitForActive(2));
  EXPECT_EQ(caller.client.OrderAndWait(3, kLimit), kResourceExhausted);
  EXPECT_EQ(caller.client.PingAndWait(kLimit), kResourceExhausted);

  EXPECT_EQ(caller.client.View(caller.start)->refused, 2u);
  EXPECT_TRUE(held.WaitForAll(kLimit));
}

TEST(HopServerTest, AnswersPingsWhileItsWorkersWaitWhenAsync) {
  HopServer c(Last(seconds(10)));
  ASSERT_TRUE(c.Start().ok());
  HopOptions options = PassesOn(c, true);
  options.async = true;
  options.workers = 1;
  HopServer b(options);
  ASSERT_TRUE(b.Start().ok());
  Caller caller(b);
  CallGatherer held(caller.start);
  for (std::uint32_t i = 0; i < 8; ++i) caller.client.Order(i, seconds(2), held);

  ASSERT_TRUE(caller.WaitForActive(8));
  EXPECT_EQ(caller.client.PingAndWait(kLimit), kOk);

  EXPECT_TRUE(held.WaitForAll(kLimit));
}

}  // namespace
}  // namespace minichat::lab
