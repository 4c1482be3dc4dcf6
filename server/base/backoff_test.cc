#include "server/base/backoff.h"

#include <gtest/gtest.h>

namespace minichat {
namespace {

using namespace std::chrono_literals;

// Only its random numbers count.
class RandomScheduler final : public Scheduler {
 public:
  TimePoint Now() const override { return {}; }
  TimePoint BootNow() const override { return {}; }
  std::int64_t WallMillis() const override { return 0; }
  void Post(Work) override {}
  TimerId RunAfter(Duration, Work) override { return 1; }
  void Cancel(TimerId) override {}
  std::uint64_t Random() override { return random; }

  std::uint64_t random = 0;
};

TEST(BackoffTest, DoublesUpToItsBound) {
  RandomScheduler scheduler;
  Backoff backoff(scheduler, {100ms, 500ms});

  EXPECT_EQ(backoff.Next(), 100ms);
  EXPECT_EQ(backoff.Next(), 200ms);
  EXPECT_EQ(backoff.Next(), 400ms);
  EXPECT_EQ(backoff.Next(), 500ms);
  EXPECT_EQ(backoff.Next(), 500ms);
}

TEST(BackoffTest, StartsAgainAfterASuccess) {
  RandomScheduler scheduler;
  Backoff backoff(scheduler, {100ms, 500ms});
  backoff.Next();
  backoff.Next();

  backoff.Reset();

  EXPECT_EQ(backoff.Next(), 100ms);
}

TEST(BackoffTest, TakesOffARandomPartOfUpToAHalf) {
  RandomScheduler scheduler;
  Backoff backoff(scheduler, {100ms, 100ms});
  for (std::uint64_t random : {1ull, 12'345'678ull, 50'000'000ull, 50'000'001ull, ~0ull}) {
    scheduler.random = random;

    const Duration wait = backoff.Next();

    EXPECT_GE(wait, 50ms);
    EXPECT_LE(wait, 100ms);
  }
  scheduler.random = 50'000'000;
  EXPECT_EQ(backoff.Next(), 50ms);
}

}  // namespace
}  // namespace minichat
