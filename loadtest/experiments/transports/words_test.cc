#include "loadtest/experiments/transports/words.h"

#include <limits>

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

TEST(WordsTest, NumbersHaveAsManyDigitsAsTheyNeed) {
  EXPECT_EQ(Rounded(0.256), "0.26");
  EXPECT_EQ(Rounded(3.14), "3.1");
  EXPECT_EQ(Rounded(12.4), "12");
  EXPECT_EQ(Rounded(999), "999");
  EXPECT_EQ(Rounded(1'234.4), "1,234");
  EXPECT_EQ(Rounded(1'234'567), "1,234,567");
  EXPECT_EQ(Rounded(-123), "-123");
  EXPECT_EQ(Rounded(-1'234), "-1,234");
}

TEST(WordsTest, CountsHaveAllTheirDigits) {
  EXPECT_EQ(Whole(0), "0");
  EXPECT_EQ(Whole(3), "3");
  EXPECT_EQ(Whole(29'930), "29,930");
}

TEST(WordsTest, WhatWasNotMeasuredIsUnknown) {
  EXPECT_EQ(Rounded(std::numeric_limits<double>::quiet_NaN()), "unknown");
  EXPECT_EQ(Percent(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(WordsTest, SharesAndCounts) {
  EXPECT_EQ(Percent(0.866), "87 %");
  EXPECT_EQ(Percent(1.2), "120 %");
  EXPECT_EQ(Counted(1, "worker"), "1 worker");
  EXPECT_EQ(Counted(2, "worker"), "2 workers");
}

}  // namespace
}  // namespace minichat::transports
