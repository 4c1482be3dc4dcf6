#include "server/auth/base64url.h"

#include <gtest/gtest.h>

namespace minichat::auth {
namespace {

TEST(Base64UrlTest, EncodesWithoutPaddingAndBack) {
  // RFC 4648, section 10, and the two characters in which the alphabets differ.
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "-_8"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(EncodeBase64Url(bytes), text);
    EXPECT_EQ(DecodeBase64Url(text), bytes);
  }
}

TEST(Base64UrlTest, TakesNoOtherSpellingOfTheSameBytes) {
  for (const char* text : {"Zg==", "Zg=", "Zh", "Zm9", "Z", "Zm9vY", "+/8", "Zm 9v", "Zm9v\n"}) {
    EXPECT_EQ(DecodeBase64Url(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace minichat::auth
