#include "loadtest/experiments/chain/hop_flags.h"

#include <gtest/gtest.h>

namespace minichat::lab {
namespace {

TEST(HopFlagsTest, GiveTheSameOptionsBack) {
  HopOptions options;
  options.name = "b";
  options.next = "127.0.0.1:7000";
  options.workers = 4;
  options.queue_tasks = 10;
  options.overflow = Overflow::kCallerRuns;
  options.propagate_deadline = false;
  options.async = true;
  options.work = std::chrono::milliseconds(5'000);
  options.slice = std::chrono::milliseconds(20);

  const auto parsed = ParseHopFlags(ToFlags(options));

  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(*parsed, options);
}

TEST(HopFlagsTest, RefuseWhatTheyDoNotKnow) {
  EXPECT_FALSE(ParseHopFlags({"--workers"}).ok());
  EXPECT_FALSE(ParseHopFlags({"--workers", "many"}).ok());
  EXPECT_FALSE(ParseHopFlags({"--speed", "9"}).ok());
}

}  // namespace
}  // namespace minichat::lab
