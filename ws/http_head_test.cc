#include "ws/http_head.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

using namespace std::string_literals;

std::variant<HttpHead, HttpFault> Read(const std::string& head) {
  EXPECT_EQ(EndOfHead(head), head.size()) << head;
  return ReadHead(head, {});
}

// The status that refuses it; 0: it is taken.
int StatusOf(const std::string& head) {
  const auto read = Read(head);
  const auto* fault = std::get_if<HttpFault>(&read);
  return fault == nullptr ? 0 : fault->status;
}

// Of a request with these headers besides Host.
int StatusWith(const std::string& headers) {
  return StatusOf("PUT /a HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n");
}

TEST(HttpHeadTest, AGoodHeadIsTakenApart) {
  const auto read = Read(
      "GET /a?b=c HTTP/1.1\r\nHost: chat.example:80\r\nX-A:  b c\t\r\nx-a: d\r\nEmpty:\r\n\r\n");
  const auto* head = std::get_if<HttpHead>(&read);

  ASSERT_NE(head, nullptr) << std::get<HttpFault>(read).message;
  EXPECT_EQ(head->method, "GET");
  EXPECT_EQ(head->target, "/a?b=c");
  EXPECT_TRUE(head->http11);
  EXPECT_EQ(*head->Find("x-a"), "b c");
  EXPECT_EQ(head->Count("x-a"), 2u);
  EXPECT_EQ(*head->Find("empty"), "");
  EXPECT_EQ(head->Find("none"), nullptr);
  EXPECT_FALSE(head->has_body());
}

TEST(HttpHeadTest, TheEndIsFoundWhereverTheBytesWereCut) {
  const std::string head = "GET / HTTP/1.0\r\n\r\n";
  for (std::size_t cut = 0; cut < head.size(); ++cut) {
    EXPECT_EQ(EndOfHead(head.substr(0, cut)), std::string::npos) << cut;
    EXPECT_EQ(EndOfHead(head + "body", cut), head.size()) << cut;
  }
}

TEST(HttpHeadTest, ARequestLineHasThreeParts) {
  for (const char* line :
       {"", "GET", "GET /", "GET  /", "GET / ", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
        "GET  / HTTP/1.1", "GET /a b HTTP/1.1", "G(T / HTTP/1.1", "GET / http/1.1", "GET / FTP/1.1",
        "GET /\tHTTP/1.1", "GET /\x7f HTTP/1.1", "GET /\xc3\xa9 HTTP/1.1", "GET /\n HTTP/1.1",
        "AMETHODWITHANAMETHATISMUCHTOOLONGFORONE / HTTP/1.1"}) {
    EXPECT_EQ(StatusOf(std::string(line) + "\r\nHost: x\r\n\r\n"), 400) << line;
  }
  EXPECT_EQ(StatusOf("GET / HTTP/2.0\r\nHost: x\r\n\r\n"), 505);
  EXPECT_EQ(StatusOf("BREW / HTTP/1.1\r\nHost: x\r\n\r\n"), 0);  // the router answers 405
}

TEST(HttpHeadTest, HostIsThereOnce) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.0\r\n\r\n"), 0);
  EXPECT_EQ(StatusWith("Host: x\r\n"), 400);
  EXPECT_EQ(StatusWith("hOST: y\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), 400);
}

TEST(HttpHeadTest, WhatHasOneValueStandsThereOnce) {
  for (const char* field :
       {"Authorization: Bearer x\r\n", "Content-Length: 1\r\n", "Content-Type: text/plain\r\n",
        "Expect: 100-continue\r\n", "Sec-WebSocket-Key: x\r\n", "Sec-WebSocket-Version: 13\r\n",
        "Transfer-Encoding: chunked\r\n"}) {
    EXPECT_EQ(StatusWith(field), 0) << field;
    EXPECT_EQ(StatusWith(std::string(field) + field), 400) << field;
  }
  EXPECT_EQ(StatusWith("Accept: a\r\nAccept: b\r\n"), 0);
}

TEST(HttpHeadTest, LinesAreNeitherFoldedNorEndedOtherwise) {
  EXPECT_EQ(StatusWith("X-A: b\r\n c\r\n"), 400);
  EXPECT_EQ(StatusWith("X-A: b\r\n\tc: d\r\n"), 400);
  EXPECT_EQ(StatusWith("X-A: b\nX-B: c\r\n"), 400);
  EXPECT_EQ(StatusWith("X-A: b\rX-B: c\r\n"), 400);
  EXPECT_EQ(StatusWith("X-A : b\r\n"), 400);
  EXPECT_EQ(StatusWith("X-A\r\n"), 400);
  EXPECT_EQ(StatusWith(": b\r\n"), 400);
  EXPECT_EQ(StatusWith("X A: b\r\n"), 400);
}

// P01.
TEST(HttpHeadTest, NulAndOtherControlCharactersAreRefused) {
  EXPECT_EQ(StatusWith("X-A: b\0c\r\n"s), 400);
  EXPECT_EQ(StatusWith("X\0A: b\r\n"s), 400);
  EXPECT_EQ(StatusWith("X-A: \x1b[0m\r\n"), 400);
  EXPECT_EQ(StatusWith("X-A: \x7f\r\n"), 400);
  EXPECT_EQ(StatusOf("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"s), 400);
}

TEST(HttpHeadTest, TheBodyHasOneLength) {
  EXPECT_EQ(StatusWith("Content-Length: 0\r\n"), 0);
  for (const char* length : {"", "-1", "+1", "1, 1", "1 ", "0x10", "1.0", "99999999999999999999"}) {
    const int wanted = std::string(length) == "1 " ? 0 : 400;
    EXPECT_EQ(StatusWith("Content-Length: " + std::string(length) + "\r\n"), wanted) << length;
  }
  EXPECT_EQ(StatusWith("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(StatusWith("Transfer-Encoding: CHUNKED\r\n"), 0);
  EXPECT_EQ(StatusWith("Transfer-Encoding: gzip\r\n"), 501);
  EXPECT_EQ(StatusWith("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(StatusWith("Transfer-Encoding: chunked, chunked\r\n"), 501);
  EXPECT_EQ(StatusWith("Transfer-Encoding: \x0b"
                       "chunked\r\n"),
            400);
  EXPECT_EQ(StatusOf("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(StatusWith("Expect: a cake\r\n"), 417);
}

TEST(HttpHeadTest, WhatIsTooLargeIsRefusedBeforeItHasCome) {
  const HeadLimits limits{.bytes = 200, .target_bytes = 100, .fields = 2};
  const std::string good = "GET / HTTP/1.1\r\nHost: x\r\n";

  EXPECT_FALSE(FaultOfPart(good, limits).has_value());
  EXPECT_EQ(FaultOfPart(good + std::string(200, 'x'), limits)->status, 431);
  EXPECT_EQ(FaultOfPart("GET /" + std::string(150, 'x'), limits)->status, 414);
  const auto target =
      ReadHead("GET /" + std::string(100, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n", limits);
  EXPECT_EQ(std::get<HttpFault>(target).status, 414);
  EXPECT_EQ(std::get<HttpFault>(ReadHead(good + "A: b\r\nC: d\r\n\r\n", limits)).status, 431);
  EXPECT_TRUE(std::holds_alternative<HttpHead>(ReadHead(good + "A: b\r\n\r\n", limits)));
}

TEST(HttpHeadTest, ListsAreReadByTheirCommas) {
  EXPECT_TRUE(Lists("a", "a"));
  EXPECT_TRUE(Lists("b ,\ta", "a"));
  EXPECT_FALSE(Lists("aa, ba", "a"));
  EXPECT_FALSE(Lists("A", "a"));
  EXPECT_TRUE(ListsAnyCase("keep-alive, Upgrade", "upgrade"));
  EXPECT_FALSE(Lists("", "a"));
}

}  // namespace
}  // namespace minichat::ws
