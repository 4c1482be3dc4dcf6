#include "ws/http_target.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

using Query = std::map<std::string, std::string>;

std::string FaultOf(const std::string& target) {
  std::string path;
  Query query;
  return ParseTarget(target, &path, &query).message();
}

TEST(ParseTargetTest, SplitsAndDecodes) {
  std::string path;
  Query query;

  EXPECT_TRUE(ParseTarget("/a%2fb?x=1&&y&z=%26+", &path, &query).ok());

  EXPECT_EQ(path, "/a/b");
  EXPECT_EQ(query, (Query{{"x", "1"}, {"y", ""}, {"z", "& "}}));
}

TEST(ParseTargetTest, WhatIsNoPathIsRefused) {
  EXPECT_EQ(FaultOf(""), "the target must begin with /");
  EXPECT_EQ(FaultOf("*"), "the target must begin with /");
  EXPECT_EQ(FaultOf("http://x/"), "the target must begin with /");
}

TEST(ParseTargetTest, BrokenEscapesAreRefused) {
  for (const char* target : {"/%", "/%2", "/%zz", "/%0g", "/?a=%", "/?%2=b", "/?a=b&c=%f"}) {
    EXPECT_NE(FaultOf(target), "") << target;
  }
}

// P01.
TEST(ParseTargetTest, NulAndWhatIsNotUtf8AreRefused) {
  for (const char* target :
       {"/%00", "/a%00b", "/?a=%00", "/?%00=a", "/%ff", "/%c0%80", "/?a=%ed%a0%80"}) {
    EXPECT_NE(FaultOf(target), "") << target;
  }
}

TEST(ParseTargetTest, ANameThatStandsThereTwiceIsRefusedHoweverItIsWritten) {
  EXPECT_EQ(FaultOf("/?limit=1&limit=2"), "the query has \"limit\" twice");
  EXPECT_EQ(FaultOf("/?limit=1&l%69mit=1"), "the query has \"limit\" twice");
  EXPECT_EQ(FaultOf("/?%22=1&%22=1"), "the query has a name twice");
}

}  // namespace
}  // namespace minichat::ws
