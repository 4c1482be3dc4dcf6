#include "server/base/breaker.h"

#include <vector>

#include <gtest/gtest.h>

namespace minichat {
namespace {

using std::chrono::milliseconds;

// Time that stands still until the test moves it.
class ManualTime final : public Scheduler {
 public:
  TimePoint Now() const override { return now; }
  TimePoint BootNow() const override { return now; }
  std::int64_t WallMillis() const override { return 0; }
  void Post(Work) override {}
  TimerId RunAfter(Duration, Work) override { return 1; }
  void Cancel(TimerId) override {}
  std::uint64_t Random() override { return random; }

  TimePoint now{};
  std::uint64_t random = 0;
};

class BreakerTest : public ::testing::Test {
 protected:
  void FailInARow(int times) {
    for (int i = 0; i < times; ++i) breaker.Record(breaker.Admit(), Breaker::Outcome::kFailure);
  }
  std::vector<Breaker::Ticket> AdmitMany(int asked) {
    std::vector<Breaker::Ticket> admitted;
    for (int i = 0; i < asked; ++i) {
      const Breaker::Ticket ticket = breaker.Admit();
      if (ticket.admitted()) admitted.push_back(ticket);
    }
    return admitted;
  }

  ManualTime time;
  Breaker breaker{BreakerOptions{}, time};
};

TEST_F(BreakerTest, OpensAfterFailuresInARow) {
  FailInARow(4);
  EXPECT_EQ(breaker.state(), Breaker::State::kClosed);

  FailInARow(1);

  EXPECT_EQ(breaker.state(), Breaker::State::kOpen);
  EXPECT_FALSE(breaker.Admit().admitted());
}

TEST_F(BreakerTest, SuccessBetweenFailuresKeepsItClosed) {
  for (int i = 0; i < 10; ++i) {
    FailInARow(4);
    breaker.Record(breaker.Admit(), Breaker::Outcome::kSuccess);
  }

  EXPECT_EQ(breaker.state(), Breaker::State::kClosed);
}

TEST_F(BreakerTest, HalfOpenAdmitsThreeOfMany) {
  FailInARow(5);
  time.now += milliseconds(200);

  EXPECT_EQ(AdmitMany(1000).size(), 3u);
  EXPECT_EQ(breaker.state(), Breaker::State::kHalfOpen);
}

TEST_F(BreakerTest, ClosesWhenAllProbesSucceed) {
  FailInARow(5);
  time.now += milliseconds(200);

  for (const auto& probe : AdmitMany(3)) breaker.Record(probe, Breaker::Outcome::kSuccess);

  EXPECT_EQ(breaker.state(), Breaker::State::kClosed);
}

TEST_F(BreakerTest, FailedProbeOpensForLongerAndLateOnesDoNotCount) {
  FailInARow(5);
  time.now += milliseconds(200);
  const auto probes = AdmitMany(3);

  breaker.Record(probes[0], Breaker::Outcome::kFailure);
  breaker.Record(probes[1], Breaker::Outcome::kSuccess);
  breaker.Record(probes[2], Breaker::Outcome::kFailure);

  EXPECT_EQ(breaker.state(), Breaker::State::kOpen);
  time.now += milliseconds(399);
  EXPECT_FALSE(breaker.Admit().admitted());
  time.now += milliseconds(1);
  EXPECT_TRUE(breaker.Admit().admitted());
}

TEST_F(BreakerTest, AbandonedProbeFreesItsPlace) {
  FailInARow(5);
  time.now += milliseconds(200);
  const auto probes = AdmitMany(3);

  breaker.Record(probes[0], Breaker::Outcome::kAbandoned);

  EXPECT_EQ(AdmitMany(1000).size(), 1u);
}

TEST_F(BreakerTest, WaitIsBoundedAndJittered) {
  FailInARow(5);
  time.random = 99'999'999;  // of the first half, 100 ms: leaves a little over 100 ms
  for (int round = 0; round < 20; ++round) {
    time.now += milliseconds(1000);
    const auto probe = breaker.Admit();
    ASSERT_TRUE(probe.admitted()) << "round " << round;
    breaker.Record(probe, Breaker::Outcome::kFailure);
  }
}

TEST_F(BreakerTest, CallsFromBeforeTheOpeningDoNotCount) {
  const auto early = AdmitMany(10);
  FailInARow(5);
  time.now += milliseconds(200);
  const auto probes = AdmitMany(3);

  for (const auto& ticket : early) breaker.Record(ticket, Breaker::Outcome::kFailure);

  EXPECT_EQ(probes.size(), 3u);
  EXPECT_EQ(breaker.state(), Breaker::State::kHalfOpen);
}

}  // namespace
}  // namespace minichat
