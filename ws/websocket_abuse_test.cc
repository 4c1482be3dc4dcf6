// What no honest client sends, byte by byte, and what the node makes of it.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"

namespace minichat::ws {
namespace {

using minichat::test::MemoryNode;
using minichat::test::WsTestClient;
using namespace std::string_literals;
using std::chrono::milliseconds;

constexpr int kText = 1;
constexpr int kContinuation = 0;
constexpr int kClose = 8;
constexpr int kPing = 9;
constexpr int kFin = 0x80;

// A masked frame; the mask is 0, so that the payload stands there as it is.
std::string Frame(int first_byte, const std::string& payload) {
  std::string frame(1, static_cast<char>(first_byte));
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 0xff);
  }
  return frame + std::string(4, '\0') + payload;
}

std::string CloseFrame(int code, const std::string& reason = "") {
  return Frame(kFin | kClose,
               std::string{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)} + reason);
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class WebSocketAbuseTest : public testing::Test {
 protected:
  std::unique_ptr<WsTestClient> Client(const std::string& user = "eve") {
    auto client = std::make_unique<WsTestClient>(node_.port());
    client->Send(R"({"op":"hello","user":")" + user + "\"}");
    EXPECT_TRUE(Has(client->Receive(), R"("op":"welcome")"));
    return client;
  }
  // The code of the close frame that answers these bytes.
  int CodeAfter(const std::string& bytes) {
    const auto client = Client();
    client->SendRaw(bytes);
    return client->AwaitClose();
  }
  // The answer to these bytes.
  std::string AnswerTo(const std::string& bytes) {
    const auto client = Client();
    client->SendRaw(bytes);
    return client->Receive();
  }
  bool Chats(WsTestClient& client) {
    client.Send(R"({"op":"ping","rid":"alive"})");
    return client.Receive() == R"({"op":"pong","rid":"alive"})";
  }

  MemoryNode node_;
};

// B10.
TEST_F(WebSocketAbuseTest, LyingLengthsAreRefusedBeforeAnythingIsKept) {
  const auto other = Client("ann");
  const std::string mask(4, '\0');

  EXPECT_EQ(CodeAfter("\x81\xff\0\0\1\0\0\0\0\0"s + mask), 1009);                  // 2^40
  EXPECT_EQ(CodeAfter("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff"s + mask), 1009);  // 2^63 - 1
  EXPECT_EQ(CodeAfter("\x81\xff\x80\0\0\0\0\0\0\0"s + mask), 1009);                // 2^63
  EXPECT_EQ(CodeAfter("\x81\xfe\0\x05"s + mask + "hello"), 1002);  // 5 in the longer form
  EXPECT_TRUE(Chats(*other));
}

// B10.
TEST_F(WebSocketAbuseTest, TooMuchInOneMessageIsRefusedAlsoInPieces) {
  const std::string piece(60'000, 'x');

  EXPECT_EQ(CodeAfter("\x81\xff\0\0\0\0\1\x40\0\0"s + std::string(4 + (1 << 20), 'x')), 1009);
  EXPECT_EQ(CodeAfter(Frame(kText, piece) + Frame(kContinuation, piece)), 1009);
}

TEST_F(WebSocketAbuseTest, ControlFramesMayStandBetweenFragments) {
  EXPECT_EQ(AnswerTo(Frame(kText, R"({"op":"pi)") + Frame(kFin | kPing, "p") +
                     Frame(kContinuation, R"(ng","r)") + Frame(kFin | 10, "unasked") +
                     Frame(kFin | kContinuation, R"(id":1})")),
            R"({"op":"pong","rid":1})");
}

TEST_F(WebSocketAbuseTest, FragmentsMayBeOfOneByteOrNone) {
  const auto client = Client();
  client->Send(R"({"op":"join","room":"general"})");
  client->Receive();
  const std::string send = R"({"op":"send","rid":1,"room":"general","cid":"c-1","text":")" +
                           std::string(4096, 'x') + "\"}";
  std::string bytes = Frame(kText, "");
  for (const char c : send) bytes += Frame(kContinuation, std::string(1, c));
  bytes += Frame(kFin | kContinuation, "");

  client->SendRaw(bytes);

  EXPECT_TRUE(Has(client->Receive() + client->Receive(), R"("op":"ack","rid":1)"));
}

TEST_F(WebSocketAbuseTest, FragmentsOutOfOrderAreErrors) {
  EXPECT_EQ(CodeAfter(Frame(kFin | kContinuation, "x")), 1002);
  EXPECT_EQ(CodeAfter(Frame(kText, "x") + Frame(kFin | kText, "x")), 1002);
}

TEST_F(WebSocketAbuseTest, UnmaskedFramesAreErrors) {
  EXPECT_EQ(CodeAfter("\x81\x02hi"), 1002);
  EXPECT_EQ(CodeAfter("\x89\0"s), 1002);
}

TEST_F(WebSocketAbuseTest, ReservedBitsAndCompressionThatWasNotAgreedAreErrors) {
  for (const int bit : {0x40, 0x20, 0x10}) {
    EXPECT_EQ(CodeAfter(Frame(kFin | bit | kText, "x")), 1002) << bit;
    EXPECT_EQ(CodeAfter(Frame(kFin | bit | kPing, "x")), 1002) << bit;
  }
}

TEST_F(WebSocketAbuseTest, ReservedOpcodesAreErrors) {
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    EXPECT_EQ(CodeAfter(Frame(kFin | opcode, "")), 1002) << opcode;
  }
}

TEST_F(WebSocketAbuseTest, ControlFramesAreShortAndWhole) {
  EXPECT_EQ(CodeAfter(Frame(kFin | kPing, std::string(126, 'p'))), 1002);
  EXPECT_EQ(CodeAfter(Frame(kFin | kClose, std::string(126, 'p'))), 1002);
  EXPECT_EQ(CodeAfter(Frame(kPing, "p")), 1002);
  EXPECT_EQ(CodeAfter(Frame(kClose, "")), 1002);
}

TEST_F(WebSocketAbuseTest, GoodCloseCodesComeBackAndBadOnesAreErrors) {
  for (const int code : {1000, 1001, 1011, 3000, 4999}) {
    EXPECT_EQ(CodeAfter(CloseFrame(code)), code);
  }
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 2999}) {
    EXPECT_EQ(CodeAfter(CloseFrame(code)), 1002) << code;
  }
  EXPECT_EQ(CodeAfter(Frame(kFin | kClose, "x")), 1002);
}

// A client that says goodbye and stays, or breaks the rules and stays, is cut in time.
TEST(WebSocketLingerTest, WhoDoesNotEndTheConnectionIsCut) {
  MemoryNode::Options options;
  options.server.close = milliseconds(50);
  MemoryNode node(options);
  WsTestClient polite(node.port());
  WsTestClient rude(node.port());

  polite.SendRaw(CloseFrame(1000));
  rude.SendRaw(Frame(kFin | 3, ""));

  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 0));
  EXPECT_EQ(node.Metric("minichat_closes_total{reason=\"normal\"}"), 1);
  EXPECT_EQ(node.Metric("minichat_closes_total{reason=\"protocol_error\"}"), 1);
}

TEST_F(WebSocketAbuseTest, ACloseReasonIsUtf8) {
  EXPECT_EQ(CodeAfter(CloseFrame(1000, "\xc3\xa9")), 1000);
  EXPECT_EQ(CodeAfter(CloseFrame(1000, "\xff")), 1002);
}

TEST_F(WebSocketAbuseTest, Utf8MayBeSplitAcrossFragmentsButMustBeWhole) {
  EXPECT_EQ(AnswerTo(Frame(kText, "{\"op\":\"ping\",\"rid\":\"\xf0\x9f") +
                     Frame(kContinuation, "\x98") + Frame(kFin | kContinuation, "\x80\"}")),
            "{\"op\":\"pong\",\"rid\":\"\xf0\x9f\x98\x80\"}");
  EXPECT_EQ(CodeAfter(Frame(kText, "\xc3") + Frame(kFin | kContinuation, "x")), 1007);
  EXPECT_EQ(CodeAfter(Frame(kFin | kText, "\xc3")), 1007);
  EXPECT_EQ(CodeAfter(Frame(kFin | kText, "\xed\xa0\x80")), 1007);      // a surrogate
  EXPECT_EQ(CodeAfter(Frame(kFin | kText, "\xf4\x90\x80\x80")), 1007);  // above U+10FFFF
}

TEST_F(WebSocketAbuseTest, WhatComesAfterTheCloseIsNotLookedAt) {
  EXPECT_EQ(
      CodeAfter(CloseFrame(1000) + Frame(kFin | kText, R"({"op":"ping"})") + CloseFrame(1001)),
      1000);
  EXPECT_TRUE(node_.WaitForMetric("minichat_closes_total{reason=\"normal\"}", 1));
}

TEST_F(WebSocketAbuseTest, TenThousandPingsAreAnsweredAndHurtNobody) {
  const auto other = Client("ann");
  std::string pings;
  for (int i = 0; i < 10'000; ++i) pings += Frame(kFin | kPing, "p");
  const auto client = Client();

  client->SendRaw(pings);

  EXPECT_TRUE(Chats(*other));
  EXPECT_TRUE(Chats(*client));
}

TEST_F(WebSocketAbuseTest, AnEmptyMessageIsABadRequest) {
  EXPECT_TRUE(Has(AnswerTo(Frame(kFin | kText, "")), R"("code":"bad_request")"));
}

TEST_F(WebSocketAbuseTest, AHalfClosedConnectionIsLost) {
  const auto client = Client();

  client->HalfClose();

  EXPECT_EQ(client->AwaitClose(), 1006);
  EXPECT_TRUE(node_.WaitForMetric("minichat_closes_total{reason=\"connection_lost\"}", 1));
  EXPECT_TRUE(node_.WaitForMetric("minichat_connections", 0));
}

// P01.
TEST_F(WebSocketAbuseTest, NulIsRefusedInEveryField) {
  const auto client = Client();
  client->Send(R"({"op":"join","room":"general"})");
  client->Receive();
  const std::vector<std::string> frames = {
      R"({"op":"send","room":"general","cid":"c-1","text":"a\u0000b"})",
      R"({"op":"send","room":"general","cid":"c-1","data":"a\u0000b"})",
      R"({"op":"send","room":"general","cid":"c-1","data":{"a\u0000b":1}})",
      R"({"op":"send","room":"general","cid":"a\u0000b","text":"x"})",
      R"({"op":"send","room":"a\u0000b","cid":"c-1","text":"x"})",
      R"({"op":"join","room":"a\u0000b"})",
      R"({"op":"history","room":"a\u0000b"})",
      R"({"op":"leave","room":"a\u0000b"})",
      "{\"op\":\"send\",\"room\":\"general\",\"cid\":\"c-1\",\"text\":\"a\0b\"}"s,
      "\0"s,
  };
  for (const std::string& frame : frames) {
    client->Send(frame);
    const std::string answer = client->Receive();
    EXPECT_TRUE(Has(answer, R"("code":"bad_request")")) << frame << " " << answer;
  }
  EXPECT_TRUE(Chats(*client));
  WsTestClient stranger(node_.port());
  stranger.Send(R"({"op":"hello","user":"a\u0000b"})");
  EXPECT_TRUE(Has(stranger.Receive(), R"("code":"bad_request")"));
}

// B01: messages, the server's pings, answers to the client's own and a kick, all at once.
TEST(WebSocketCrowdTest, ManyWritersMakeOneStreamOfWholeFramesAndOneClose) {
  MemoryNode::Options options;
  options.io_threads = 2;
  options.server.ping = milliseconds(10'000);
  MemoryNode node(options);
  const auto member = [&](const std::string& user) {
    auto client = std::make_unique<WsTestClient>(node.port());
    client->Send(R"({"op":"hello","user":")" + user + "\"}");
    client->Receive();
    client->Send(R"({"op":"join","room":"all"})");
    EXPECT_TRUE(Has(client->Receive(), R"("op":"joined")"));
    return client;
  };
  const auto bob = member("bob");
  std::vector<std::unique_ptr<WsTestClient>> senders;
  senders.reserve(200);
  for (int i = 0; i < 200; ++i) senders.push_back(member("u" + std::to_string(i)));
  const auto round = [&](int number, bool kick) {
    for (std::size_t i = 0; i < senders.size(); ++i) {
      senders[i]->Send(R"({"op":"send","room":"all","cid":"c-)" + std::to_string(number) +
                       R"(","text":"hi"})");
      if (i % 20 == 0) bob->SendRaw(Frame(kFin | kPing, "p"));
      if (kick && i == senders.size() / 2) node.Kick("bob");
    }
  };
  // A frame cut in two by another would be no frame, and end with 1002 or a wrong text.
  int messages = 0;
  const auto read = [&] {
    const std::string text = bob->Receive();
    EXPECT_TRUE(bob->close_code() != 0 || text.substr(0, 6) == R"({"op":)") << text;
    if (Has(text, R"("op":"message")")) ++messages;
  };
  round(1, false);
  round(2, false);
  while (messages < 300 && bob->close_code() == 0) read();
  round(3, true);
  round(4, false);
  while (bob->close_code() == 0) read();

  EXPECT_GE(messages, 300);
  EXPECT_EQ(bob->close_code(), 4006);
  EXPECT_TRUE(node.WaitForMetric("minichat_closes_total{reason=\"kicked\"}", 1));
}

}  // namespace
}  // namespace minichat::ws
