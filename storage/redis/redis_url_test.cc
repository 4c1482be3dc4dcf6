#include "storage/redis/redis_url.h"

#include <gtest/gtest.h>

namespace minichat::redis {
namespace {

TEST(RedisUrlTest, TakesAllParts) {
  const auto address = ParseRedisUrl("redis://chat:p%40ss%3a@redis.example:7000/3");

  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->host, "redis.example");
  EXPECT_EQ(address->port, 7000);
  EXPECT_EQ(address->user, "chat");
  EXPECT_EQ(address->password, "p@ss:");
  EXPECT_EQ(address->database, 3);
}

TEST(RedisUrlTest, HasDefaults) {
  const auto address = ParseRedisUrl("redis://localhost");

  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->port, 6379);
  EXPECT_TRUE(address->password.empty());
  EXPECT_EQ(address->ToText(), "localhost:6379/0");
}

TEST(RedisUrlTest, TakesIpv6AndPasswordWithoutUser) {
  const auto address = ParseRedisUrl("redis://:secret@[::1]:6380/");

  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, 6380);
  EXPECT_TRUE(address->user.empty());
  EXPECT_EQ(address->password, "secret");
}

TEST(RedisUrlTest, NeverShowsThePassword) {
  const auto good = ParseRedisUrl("redis://u:hunter2@h:1/1");
  const auto bad = ParseRedisUrl("redis://u:hunter2@h:port/1");

  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->ToText().find("hunter2"), std::string::npos);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.status().ToString().find("hunter2"), std::string::npos);
}

TEST(RedisUrlTest, RefusesWhatIsNoAddress) {
  for (const char* url : {"", "http://h", "redis://", "redis://:1", "redis://h:0",
                          "redis://h:70000", "redis://h/x", "redis://h/-1", "redis://user@h",
                          "redis://u:%zz@h", "redis://u:%4@h", "redis://[::1", "redis://[::1]x"}) {
    EXPECT_FALSE(ParseRedisUrl(url).ok()) << url;
  }
}

}  // namespace
}  // namespace minichat::redis
