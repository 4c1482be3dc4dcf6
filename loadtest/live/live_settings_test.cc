#include "loadtest/live/live_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMost = 1'000;
constexpr LiveSettings kNow = {.members = 30, .talkers = 3, .rate = 10, .running = true};

std::string Refusal(std::string_view body) {
  const auto change = ParseLiveChange(body, kNow, kMost);
  return change.ok() ? "" : change.status().message();
}

TEST(LiveSettingsTest, WhatIsNotNamedStaysAsItIs) {
  const auto change = ParseLiveChange(R"({"rate":0.5})", kNow, kMost);

  ASSERT_TRUE(change.ok());
  LiveSettings wanted = kNow;
  wanted.rate = 0.5;
  EXPECT_EQ(change->settings, wanted);
  EXPECT_EQ(change->mode, "");
}

TEST(LiveSettingsTest, AllCanChangeAtOnce) {
  const auto change = ParseLiveChange(
      R"({"members":60,"talkers":60,"rate":100,"running":false,"mode":"stream"})", kNow, kMost);

  ASSERT_TRUE(change.ok());
  EXPECT_EQ(change->settings,
            (LiveSettings{.members = 60, .talkers = 60, .rate = 100, .running = false}));
  EXPECT_EQ(change->mode, "stream");
}

TEST(LiveSettingsTest, RefusalsNameTheFieldAndItsRule) {
  for (const char* body : {"", "[]", "7", "{", R"({"rate":1}x)"}) {
    EXPECT_THAT(Refusal(body), HasSubstr("no JSON object")) << body;
  }
  for (const char* count : {"-1", "1.5", "\"5\"", "null", "1e30"}) {
    const std::string body = std::string(R"({"members":)") + count + "}";
    EXPECT_THAT(Refusal(body), HasSubstr("members: a whole number")) << count;
  }
  EXPECT_THAT(Refusal(R"({"members":0})"), HasSubstr("members: from 1 to 1000"));
  EXPECT_THAT(Refusal(R"({"members":1001})"), HasSubstr("members: from 1 to 1000"));
  EXPECT_THAT(Refusal(R"({"talkers":31})"),
              HasSubstr("talkers: from 1 to as many as members (30)"));
  EXPECT_THAT(Refusal(R"({"members":2})"), HasSubstr("talkers: "));
  for (const char* rate : {"0", "-5", "10001", "1e400"}) {
    EXPECT_NE(Refusal(std::string(R"({"rate":)") + rate + "}"), "") << rate;
  }
  EXPECT_THAT(Refusal(R"({"rate":"5"})"), HasSubstr("rate: a number"));
  EXPECT_THAT(Refusal(R"({"running":1})"), HasSubstr("running: true or false"));
  EXPECT_THAT(Refusal(R"({"mode":"fast"})"), HasSubstr("mode: bulk, single or stream"));
  EXPECT_THAT(Refusal(R"({"mode":null})"), HasSubstr("mode: bulk, single or stream"));
  EXPECT_THAT(Refusal(R"({"speed":5})"), HasSubstr("speed: unknown"));
}

}  // namespace
}  // namespace minichat::loadtest
