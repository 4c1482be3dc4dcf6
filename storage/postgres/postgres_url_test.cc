#include "storage/postgres/postgres_url.h"

#include <gtest/gtest.h>

namespace minichat::postgres {
namespace {

TEST(PostgresUrlTest, AddsTimeoutsThatTheUrlDoesNotSay) {
  const auto plain = ConnectionString("postgresql://u@h:1/d");
  const auto own = ConnectionString("postgresql://u@h:1/d?connect_timeout=9");

  ASSERT_TRUE(plain.ok());
  EXPECT_NE(plain->find("/d?connect_timeout=2&keepalives_idle="), std::string::npos);
  ASSERT_TRUE(own.ok());
  EXPECT_NE(own->find("?connect_timeout=9&keepalives_idle="), std::string::npos);
  EXPECT_EQ(own->find("connect_timeout=2"), std::string::npos);
}

TEST(PostgresUrlTest, RefusesAnotherScheme) {
  EXPECT_EQ(ConnectionString("mysql://h/d").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ConnectionString("").status().code(), StatusCode::kInvalidArgument);
}

TEST(PostgresUrlTest, NeverShowsThePassword) {
  EXPECT_EQ(RedactUrl("postgresql://u:secret@h:1/d"), "postgresql://u:***@h:1/d");
  EXPECT_EQ(RedactUrl("postgresql://u:se@cret@h:1/d"), "postgresql://u:***@h:1/d");
  EXPECT_EQ(RedactUrl("postgresql://h/d?user=u&password=secret&x=1"),
            "postgresql://h/d?user=u&password=***&x=1");
  EXPECT_EQ(RedactUrl("postgresql://u@h:1/d"), "postgresql://u@h:1/d");
}

}  // namespace
}  // namespace minichat::postgres
