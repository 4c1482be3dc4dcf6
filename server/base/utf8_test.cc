#include "server/base/utf8.h"

#include <gtest/gtest.h>

namespace minichat {
namespace {

TEST(Utf8Test, TakesWellFormedText) {
  for (const char* text :
       {"", "hi", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsCleanUtf8(text)) << text;
  }
}

TEST(Utf8Test, RefusesEverythingElse) {
  const std::string_view bad[] = {{"a\0b", 3},
                                  "\x80",
                                  "\xc0\x80",
                                  "\xc1\xbf",
                                  "\xc3",
                                  "\xe0\x80\x80",
                                  "\xed\xa0\x80",
                                  "\xe2\x82",
                                  "\xf0\x80\x80\x80",
                                  "\xf4\x90\x80\x80",
                                  "\xf8\x88\x80\x80\x80",
                                  "\xff"};
  for (const std::string_view text : bad) EXPECT_FALSE(IsCleanUtf8(text));
}

TEST(Utf8Test, IdsHaveTheirCharactersAndLength) {
  EXPECT_TRUE(IsId("a.B_9:@-"));
  EXPECT_TRUE(IsId(std::string(64, 'x')));
  EXPECT_FALSE(IsId(""));
  EXPECT_FALSE(IsId(std::string(65, 'x')));
  EXPECT_FALSE(IsId("no space"));
  EXPECT_FALSE(IsId("\xc3\xa4"));
  EXPECT_FALSE(IsId("a/b"));
}

}  // namespace
}  // namespace minichat
