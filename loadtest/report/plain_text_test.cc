#include "loadtest/report/plain_text.h"

#include <cmath>

#include <gtest/gtest.h>

namespace minichat::report {
namespace {

TEST(PlainTextTest, WritesTimesAsReadersWantThem) {
  EXPECT_EQ(Millis(0.00005), "50 ns");
  EXPECT_EQ(Millis(0.0123), "12 µs");
  EXPECT_EQ(Millis(0.352), "0.35 ms");
  EXPECT_EQ(Millis(4.04), "4.0 ms");
  EXPECT_EQ(Millis(23.4), "23 ms");
  EXPECT_EQ(Millis(1'005), "1.005 s");
  EXPECT_EQ(Millis(10'240), "10.2 s");
  EXPECT_EQ(Millis(std::nan("")), "none");
}

TEST(PlainTextTest, WritesARangeOfTimes) {
  EXPECT_EQ(MillisRange({}), "none");
  EXPECT_EQ(MillisRange({7'900, 10'100, 9'000}), "7.900 s to 10.1 s");
  EXPECT_EQ(MillisRange({20.1, 20.2}), "20 ms");
}

TEST(PlainTextTest, TakesThePercentileThatSoManyAreNotAbove) {
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 0.51), 3);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 0), 1);
  EXPECT_TRUE(std::isnan(Percentile({}, 0.5)));
}

}  // namespace
}  // namespace minichat::report
