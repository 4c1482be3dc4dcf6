#include "ws/origin.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

TEST(OriginTest, AListIsTakenWordForWord) {
  const std::vector<std::string> allowed = {"https://chat.example", "http://localhost:3000"};

  EXPECT_TRUE(OriginMayConnect("https://chat.example", "x", allowed));
  EXPECT_TRUE(OriginMayConnect("HTTPS://Chat.Example", "x", allowed));
  EXPECT_TRUE(OriginMayConnect("http://localhost:3000", "x", allowed));
  for (const char* origin : {"", "null", "http://chat.example", "https://chat.example:444",
                             "https://chat.example/", "https://chat.example.evil.example",
                             "https://evil-chat.example", "http://localhost", "chat.example"}) {
    EXPECT_FALSE(OriginMayConnect(origin, "chat.example", allowed)) << origin;
  }
}

TEST(OriginTest, AStarAllowsAny) {
  EXPECT_TRUE(OriginMayConnect("https://evil.example", "x", {"*"}));
  EXPECT_TRUE(OriginMayConnect("null", "x", {"*"}));
}

TEST(OriginTest, WithoutAListHostAndPortMustBeTheNodesOwn) {
  EXPECT_TRUE(OriginMayConnect("http://127.0.0.1:8080", "127.0.0.1:8080", {}));
  EXPECT_TRUE(OriginMayConnect("https://chat.example", "Chat.example", {}));
  EXPECT_FALSE(OriginMayConnect("http://127.0.0.1:8081", "127.0.0.1:8080", {}));
  EXPECT_FALSE(OriginMayConnect("https://evil.example", "127.0.0.1:8080", {}));
  EXPECT_FALSE(OriginMayConnect("null", "null", {}));
  EXPECT_FALSE(OriginMayConnect("https://", "", {}));
}

}  // namespace
}  // namespace minichat::ws
