#include "server/core/message.h"

#include <gtest/gtest.h>

namespace minichat::core {
namespace {

MessagePtr Sample(const std::string& body = "hi") {
  return MakeMessage(RoomId("general"), UserId("ann"), ClientMessageId("c-1"), BodyKind::kText,
                     body, 1234);
}

TEST(MessageTest, IdDependsOnRoomSenderAndCidAlone) {
  EXPECT_EQ(Sample("a")->id, Sample("b")->id);
  EXPECT_NE(Sample("a")->hash, Sample("b")->hash);
  EXPECT_NE(IdOf(RoomId("ab"), UserId("c"), ClientMessageId("d")),
            IdOf(RoomId("a"), UserId("bc"), ClientMessageId("d")));
}

TEST(MessageTest, IdIsAUuidOfVersionEight) {
  const std::string text = Sample()->id.ToText();

  ASSERT_EQ(36u, text.size());
  EXPECT_EQ('8', text[14]);
  EXPECT_NE(std::string::npos, std::string("89ab").find(text[19]));
}

TEST(MessageTest, TextAndBytesOfAnIdComeBack) {
  const MessageId id = Sample()->id;
  MessageId from_text, from_bytes;

  ASSERT_TRUE(MessageId::FromText(id.ToText(), &from_text));
  ASSERT_TRUE(MessageId::FromBytes(id.bytes(), &from_bytes));

  EXPECT_EQ(id, from_text);
  EXPECT_EQ(id, from_bytes);
  EXPECT_FALSE(MessageId::FromText("xyz", &from_text));
  EXPECT_FALSE(MessageId::FromText(std::string(36, 'g'), &from_text));
}

TEST(MessageTest, SerializedMessageComesBack) {
  const MessagePtr message = Sample();
  Attempt attempt = 0;
  std::string error;

  const MessagePtr back = ParseMessage(SerializeMessage(*message, 42), &attempt, &error);

  ASSERT_TRUE(back) << error;
  EXPECT_EQ(*message, *back);
  EXPECT_EQ(42u, attempt);
}

TEST(MessageTest, WhatTheEdgeWouldRefuseIsUnreadable) {
  std::string error;
  Message bad = *Sample();
  bad.body = std::string("a\0b", 3);
  EXPECT_FALSE(ParseMessage(SerializeMessage(bad, 1), nullptr, &error));
  EXPECT_EQ("body is not UTF-8 or has a NUL", error);

  bad = *Sample();
  bad.room = RoomId("no spaces");
  EXPECT_FALSE(ParseMessage(SerializeMessage(bad, 1), nullptr, &error));
  EXPECT_EQ("room, sender or cid is not an id", error);

  EXPECT_FALSE(ParseMessage("", nullptr, &error));
  EXPECT_FALSE(ParseMessage("{\"not\":\"proto\"}", nullptr, &error));
}

}  // namespace
}  // namespace minichat::core
