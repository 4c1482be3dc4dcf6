#include "storage/postgres/array_text.h"

#include <gtest/gtest.h>

namespace minichat::postgres {
namespace {

TEST(ArrayTextTest, IsEmptyBracesWithoutElements) {
  EXPECT_EQ(ArrayText().Finish(), "{}");
}

TEST(ArrayTextTest, EscapesQuotesAndBackslashes) {
  ArrayText array;
  array.Add("plain");
  array.Add(R"(a "b" \c, {d})");
  array.Add("");
  array.Add("NULL");

  EXPECT_EQ(array.Finish(), R"({"plain","a \"b\" \\c, {d}","","NULL"})");
}

TEST(ArrayTextTest, WritesNumbersAndNulls) {
  ArrayText array;
  array.Add(std::int64_t{-7});
  array.Add(std::optional<std::int64_t>());
  array.Add(std::optional<std::int64_t>(8));

  EXPECT_EQ(array.Finish(), "{-7,NULL,8}");
}

TEST(ArrayTextTest, WritesBytesAsHex) {
  ArrayText array;
  array.AddBytes(std::string_view("\0\xff\"", 3));

  EXPECT_EQ(array.Finish(), R"({"\\x00ff22"})");
}

}  // namespace
}  // namespace minichat::postgres
