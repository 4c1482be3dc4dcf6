#include <gtest/gtest.h>

#include "ws/codec.h"
#include "ws/frame.h"

namespace minichat::ws {
namespace {

core::PlacedMessage Placed(core::BodyKind kind, std::string body, core::Seq seq = 58) {
  return {core::MakeMessage(core::RoomId("general"), core::UserId("ann"),
                            core::ClientMessageId("c-1"), kind, std::move(body), 1790000000000),
          {seq, seq - 1, 1}};
}

TEST(EncodeTest, MessageWithText) {
  const auto placed = Placed(core::BodyKind::kText, "say \"hi\"\n\x01 \xc3\xa9");

  EXPECT_EQ(EncodeMessage(placed),
            R"({"op":"message","room":"general","seq":58,"id":")" + placed.message->id.ToText() +
                R"(","from":"ann","ts":1790000000000,"text":"say \"hi\"\n\u0001 )" + "\xc3\xa9\"}");
}

TEST(EncodeTest, MessageWithDataHasTheSendersBytes) {
  const std::string data = R"({ "a" : 1.50 })";

  const std::string text = EncodeMessage(Placed(core::BodyKind::kData, data));

  EXPECT_NE(text.find("\"data\":" + data + "}"), std::string::npos);
}

TEST(EncodeTest, AnEventIsAMessageAsOneFrame) {
  const auto placed = Placed(core::BodyKind::kText, "hi");

  const std::string frame = JsonEventEncoder().Encode(placed);

  EXPECT_TRUE(IsTextFrame(frame));
  EXPECT_EQ(frame, TextFrame(EncodeMessage(placed)));
}

TEST(EncodeTest, Welcome) {
  Welcome welcome;
  welcome.session = core::SessionId("n1-7");
  welcome.user = core::UserId("ann");
  welcome.node = core::NodeName("n1");
  welcome.server_time_ms = 1790000000000;
  welcome.ping_ms = 25000;
  welcome.limits = {200, 1000};
  welcome.resumed.emplace_back(core::RoomId("a"), core::JoinReply{core::RoomId("a"), 57, 41, true});
  welcome.resumed.emplace_back(core::RoomId("b"),
                               core::ClientError{core::ErrorCode::kForbidden, "no", {}});

  EXPECT_EQ(EncodeWelcome("1", welcome),
            R"({"op":"welcome","rid":1,"session":"n1-7","user":"ann","node":"n1",)"
            R"("server_time":1790000000000,"ping_ms":25000,"limits":{"text_bytes":4096,)"
            R"("frame_bytes":65536,"rooms":200,"messages_per_s":1000},)"
            R"("resumed":{"a":{"recovered":true,"head":57},"b":{"error":"forbidden"}}})");
}

TEST(EncodeTest, WelcomeByTokenTellsItsExpiry) {
  Welcome welcome;
  welcome.expires_ms = 1790003600000;

  EXPECT_NE(EncodeWelcome("", welcome).find(R"("ping_ms":0,"expires":1790003600000,"limits":)"),
            std::string::npos);
}

TEST(EncodeTest, RepliesOfRequests) {
  const core::RoomId room("g");
  core::Ack ack;
  ack.seq = 58;
  ack.sent_at_ms = 17;
  EXPECT_EQ(EncodeJoined("1", {room, 57, 41, true}),
            R"({"op":"joined","rid":1,"room":"g","head":57,"cursor":41,"recovered":true})");
  EXPECT_EQ(EncodeLeft("", room), R"({"op":"left","room":"g"})");
  EXPECT_EQ(EncodeAck("\"r\"", room, ack),
            R"({"op":"ack","rid":"r","room":"g","id":"00000000-0000-0000-0000-000000000000",)"
            R"("seq":58,"ts":17,"duplicate":false})");
  EXPECT_EQ(EncodeRefreshed("6", 1790003600000),
            R"({"op":"refreshed","rid":6,"expires":1790003600000})");
  EXPECT_EQ(EncodePong("7"), R"({"op":"pong","rid":7})");
  EXPECT_EQ(EncodeError("3", {core::ErrorCode::kOverloaded, "busy", 50}),
            R"({"op":"error","rid":3,"code":"overloaded","message":"busy","retry_after_ms":50})");
  EXPECT_EQ(EncodeGap(room, 3, 9), R"({"op":"gap","room":"g","from":3,"to":9})");
  EXPECT_EQ(EncodeBye("draining", 100, 2000),
            R"({"op":"bye","reason":"draining","reconnect":{"after_ms":100,"jitter_ms":2000}})");
}

TEST(EncodeTest, HistoryAtItsEndHasNextNull) {
  EXPECT_EQ(EncodeHistory("4", core::RoomId("g"), {}, false),
            R"({"op":"history","rid":4,"room":"g","messages":[],"next":null})");
}

TEST(EncodeTest, WhoListsUsersAndWhereTheNextPageBegins) {
  const core::RoomId room("g");
  const core::UserId ann("ann"), bob("bob");

  EXPECT_EQ(EncodeWho("5", room, {{{ann, 2}, {bob, 1}}, bob}),
            R"({"op":"who","rid":5,"room":"g","users":[{"user":"ann","sessions":2},)"
            R"({"user":"bob","sessions":1}],"next":"bob"})");
  EXPECT_EQ(EncodeWho("", room, {}), R"({"op":"who","room":"g","users":[],"next":null})");
}

TEST(EncodeTest, NoticesAreWholeFrames) {
  using Kind = core::Notice::Kind;
  const core::RoomId room("g");
  const core::UserId ann("ann");

  EXPECT_EQ(EncodeNotice(Kind::kOnline, room, ann),
            R"({"op":"presence","room":"g","user":"ann","state":"online"})");
  EXPECT_EQ(EncodeNotice(Kind::kOffline, room, ann),
            R"({"op":"presence","room":"g","user":"ann","state":"offline"})");
  EXPECT_EQ(EncodeNotice(Kind::kTyping, room, ann), R"({"op":"typing","room":"g","user":"ann"})");
  EXPECT_EQ(JsonEventEncoder().EncodeNotice(Kind::kTyping, room, ann),
            TextFrame(EncodeNotice(Kind::kTyping, room, ann)));
}

core::HistoryPage LargePage() {
  core::HistoryPage page;
  for (core::Seq seq = 1; seq <= 200; ++seq) {
    page.messages.push_back(Placed(core::BodyKind::kText, std::string(4000, 'x'), seq));
  }
  return page;
}

TEST(EncodeTest, HistoryAboveItsSizeIsCutAtTheFarEnd) {
  const std::string back = EncodeHistory("4", core::RoomId("g"), LargePage(), false);
  const std::string forth = EncodeHistory("4", core::RoomId("g"), LargePage(), true);

  EXPECT_LT(back.size(), kMaxHistoryBytes + 8192);
  EXPECT_NE(back.find("\"seq\":200,"), std::string::npos);
  EXPECT_EQ(back.find("\"seq\":1,"), std::string::npos);
  EXPECT_NE(forth.find("\"seq\":1,"), std::string::npos);
  EXPECT_EQ(forth.find("\"seq\":200,"), std::string::npos);
  const std::string first = back.substr(back.find("\"seq\":") + 6, 3);
  EXPECT_EQ(back.substr(back.rfind("\"next\":") + 7), first + "}");
}

}  // namespace
}  // namespace minichat::ws
