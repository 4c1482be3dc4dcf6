#include "ws/session_expiry.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/manual_scheduler.h"

namespace minichat::ws {
namespace {

using minichat::testing_support::ManualScheduler;
using std::chrono::milliseconds;
using std::chrono::seconds;

class FakeSession final : public Expiring {
 public:
  void OnTokenExpired() override { ++ends; }
  int ends = 0;
};

class SessionExpiryTest : public testing::Test {
 protected:
  std::int64_t In(std::chrono::milliseconds time) { return core_.WallMillis() + time.count(); }

  ManualScheduler core_;
  SessionExpiry expiry_{core_, seconds(1)};
};

TEST_F(SessionExpiryTest, EndsASessionAtMostATickAfterItsTime) {
  const auto early = std::make_shared<FakeSession>();
  const auto late = std::make_shared<FakeSession>();
  expiry_.Add(In(milliseconds(2'500)), early);
  expiry_.Add(In(milliseconds(10'000)), late);

  core_.Advance(milliseconds(2'499));
  EXPECT_EQ(early->ends, 0);
  core_.Advance(milliseconds(1'001));
  EXPECT_EQ(early->ends, 1);
  EXPECT_EQ(late->ends, 0);
  core_.Advance(seconds(60));
  EXPECT_EQ(early->ends, 1);
  EXPECT_EQ(late->ends, 1);
}

TEST_F(SessionExpiryTest, RemovedAndMovedSessionsAreLeftAlone) {
  const auto removed = std::make_shared<FakeSession>();
  const auto renewed = std::make_shared<FakeSession>();
  expiry_.Add(In(seconds(2)), removed);
  expiry_.Add(In(seconds(2)), renewed);
  const std::int64_t old_end = In(seconds(2));

  expiry_.Remove(old_end, removed.get());
  expiry_.Remove(old_end, renewed.get());
  expiry_.Add(In(seconds(20)), renewed);
  core_.Advance(seconds(10));

  EXPECT_EQ(removed->ends, 0);
  EXPECT_EQ(renewed->ends, 0);
  core_.Advance(seconds(11));
  EXPECT_EQ(renewed->ends, 1);
}

TEST_F(SessionExpiryTest, HoldsNoSessionAlive) {
  std::weak_ptr<FakeSession> weak;
  {
    const auto session = std::make_shared<FakeSession>();
    weak = session;
    expiry_.Add(In(seconds(2)), session);
  }

  EXPECT_TRUE(weak.expired());
  core_.Advance(seconds(5));
}

TEST_F(SessionExpiryTest, ManyThatEndTogetherAllEnd) {
  std::vector<std::shared_ptr<FakeSession>> sessions;
  for (int i = 0; i < 5 * SessionExpiry::kMaxPerTurn + 1; ++i) {
    sessions.push_back(std::make_shared<FakeSession>());
    expiry_.Add(In(milliseconds(500)), sessions.back());
  }

  core_.Advance(seconds(1));

  for (const auto& session : sessions) EXPECT_EQ(session->ends, 1);
}

}  // namespace
}  // namespace minichat::ws
