#include "ws/upgrade_rules.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

HttpHead Good() {
  HttpHead head;
  head.method = "GET";
  head.target = "/ws";
  head.fields = {{"host", "chat.example"},
                 {"connection", "keep-alive, Upgrade"},
                 {"upgrade", "WebSocket"},
                 {"sec-websocket-version", "13"},
                 {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  return head;
}

HttpHead With(const std::string& name, const std::string& value) {
  HttpHead head = Good();
  for (auto& field : head.fields) {
    if (field.first != name) continue;
    field.second = value;
    return head;
  }
  head.fields.emplace_back(name, value);
  return head;
}

HttpHead Without(const std::string& name) {
  HttpHead head = Good();
  std::erase_if(head.fields, [&](const auto& field) { return field.first == name; });
  return head;
}

// 0: it may be upgraded.
int StatusOf(const HttpHead& head) {
  const auto refusal = RefusalOfUpgrade(head, {});
  return refusal ? refusal->status : 0;
}

TEST(UpgradeRulesTest, AGoodUpgradeIsTaken) {
  EXPECT_EQ(StatusOf(Good()), 0);
  EXPECT_EQ(StatusOf(With("content-length", "0")), 0);
  EXPECT_FALSE(OffersSubprotocol(Good()));
}

TEST(UpgradeRulesTest, WhatIsNoUpgradeIsToldWhatIsWanted) {
  for (const HttpHead& head :
       {Without("upgrade"), Without("connection"), With("connection", "close"),
        With("upgrade", "h2c"), Without("sec-websocket-version"),
        With("sec-websocket-version", "8")}) {
    const auto refusal = RefusalOfUpgrade(head, {});
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->status, 426);
    EXPECT_EQ(refusal->headers.at("Upgrade"), "websocket");
    EXPECT_EQ(refusal->headers.at("Sec-WebSocket-Version"), "13");
  }
  HttpHead old = Good();
  old.http11 = false;
  EXPECT_EQ(StatusOf(old), 426);
}

TEST(UpgradeRulesTest, OtherMethodsAreRefused) {
  HttpHead head = Good();
  head.method = "POST";

  const auto refusal = RefusalOfUpgrade(head, {});

  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 405);
  EXPECT_EQ(refusal->headers.at("Allow"), "GET");
}

TEST(UpgradeRulesTest, TheKeyIs16Bytes) {
  for (const char* key : {"", "x", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
                          "dGhlIHNhbXBsZSBub25jZQ!=", "dGhlIHNhbXBsZSBub25jZ1==x"}) {
    EXPECT_EQ(StatusOf(With("sec-websocket-key", key)), 400) << key;
  }
  EXPECT_EQ(StatusOf(Without("sec-websocket-key")), 400);
}

TEST(UpgradeRulesTest, AnUpgradeHasNoBody) {
  EXPECT_EQ(StatusOf(With("content-length", "1")), 400);
  EXPECT_EQ(StatusOf(With("transfer-encoding", "chunked")), 400);
}

TEST(UpgradeRulesTest, OfferedSubprotocolsMustHoldOurs) {
  EXPECT_EQ(StatusOf(With("sec-websocket-protocol", "chat.v9")), 400);
  EXPECT_EQ(StatusOf(With("sec-websocket-protocol", "chat.v9, minichat.v1.json")), 0);
  HttpHead two = With("sec-websocket-protocol", "chat.v9");
  two.fields.emplace_back("sec-websocket-protocol", "minichat.v1.json");
  EXPECT_EQ(StatusOf(two), 0);
  EXPECT_TRUE(OffersSubprotocol(two));
}

// B17.
TEST(UpgradeRulesTest, ForeignOriginsAreForbidden) {
  EXPECT_EQ(StatusOf(With("origin", "https://chat.example")), 0);
  EXPECT_EQ(StatusOf(With("origin", "https://evil.example")), 403);
  HttpHead two = With("origin", "https://chat.example");
  two.fields.emplace_back("origin", "https://chat.example");
  EXPECT_EQ(StatusOf(two), 403);
}

}  // namespace
}  // namespace minichat::ws
