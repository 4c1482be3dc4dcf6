#include <gtest/gtest.h>

#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"
#include "ws/http_target.h"
#include "ws/token_bucket.h"

namespace minichat::ws {
namespace {

using minichat::test::HttpExchange;
using minichat::test::MemoryNode;
using minichat::test::WsTestClient;

std::string Get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers + "\r\n";
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(HttpSessionTest, RoutesGetTheDecodedRequest) {
  MemoryNode node;

  const std::string response =
      HttpExchange(node.http_port(), Get("/a%20b/c?k=v%2B1&e=", "X-Test: 7\r\n"));

  EXPECT_TRUE(Has(response, "HTTP/1.1 200 OK\r\n")) << response;
  EXPECT_TRUE(Has(response, "\r\n\r\nGET /a b/c [] e= k=v+1 x=7")) << response;
}

TEST(HttpSessionTest, RepliesFromOtherThreadsArrive) {
  MemoryNode node;

  const std::string response = HttpExchange(
      node.http_port(),
      "POST /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc");

  EXPECT_TRUE(Has(response, "POST /later [abc]")) << response;
}

TEST(HttpSessionTest, OneConnectionTakesSeveralRequests) {
  MemoryNode node;

  const std::string response =
      HttpExchange(node.http_port(), "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n" + Get("/2"));

  EXPECT_TRUE(Has(response, "GET /1 []"));
  EXPECT_TRUE(Has(response, "GET /2 []"));
}

TEST(HttpSessionTest, WhatIsTooLargeOrNotHttpIsRefused) {
  MemoryNode node;
  const std::string large(70'000, 'x');

  EXPECT_TRUE(Has(HttpExchange(node.http_port(), Get("/", "X-A: " + large + "\r\n")), " 431 "));
  EXPECT_TRUE(Has(
      HttpExchange(node.http_port(), "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n"),
      " 413 "));
  EXPECT_TRUE(Has(HttpExchange(node.http_port(), "nonsense\r\n\r\n"), " 400 "));
  EXPECT_TRUE(Has(HttpExchange(node.http_port(), Get("/%zz")), " 400 "));
  EXPECT_TRUE(Has(HttpExchange(node.http_port(), Get("/%00")), " 400 "));
}

TEST(HttpSessionTest, ARequestThatDoesNotComeIsCutInTime) {
  MemoryNode::Options options;
  options.server.handshake = std::chrono::milliseconds(50);
  MemoryNode node(options);

  EXPECT_EQ(HttpExchange(node.http_port(), "GET / HT"), "");
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 0));
}

TEST(HttpSessionTest, WebSocketPathWantsAnUpgradeAndOnlyTheClientPortHasIt) {
  MemoryNode node;
  const std::string upgrade =
      "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Version: 13\r\n";

  EXPECT_TRUE(Has(HttpExchange(node.port(), Get("/ws")), " 426 "));
  EXPECT_TRUE(Has(HttpExchange(node.http_port(), Get("/ws")), "GET /ws []"));
  EXPECT_TRUE(Has(HttpExchange(node.http_port(),
                               "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: "
                               "close, upgrade\r\n" +
                                   upgrade + "\r\n"),
                  "GET /ws []"));
}

// The answer to an upgrade that is refused.
std::string Refusal(const MemoryNode& node, const std::string& headers) {
  const std::string response =
      HttpExchange(node.port(),
                   "GET /ws HTTP/1.1\r\nHost: chat.example:8080\r\nConnection: upgrade\r\n"
                   "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                   "Sec-WebSocket-Version: 13\r\n" +
                       headers + "\r\n");
  return response.substr(0, response.find("\r\n"));
}

// The same from a client that then speaks WebSocket; "" when it was let in.
std::string FailureFrom(const MemoryNode& node, const std::string& origin) {
  return WsTestClient(node.port(), "minichat.v1.json", origin).failure();
}

constexpr char kForbidden[] = "HTTP/1.1 403 Forbidden";

// B17: what the page brings along, a cookie or a key, does not help.
TEST(HttpSessionTest, ForeignOriginsAreRefusedBeforeTheUpgrade) {
  MemoryNode::Options options;
  options.server.allowed_origins = {"https://chat.example", "http://localhost:3000"};
  MemoryNode node(options);
  const std::string evil = "Origin: https://evil.example\r\n";
  const std::string good = "Origin: https://chat.example\r\n";

  for (const std::string& headers :
       {evil, evil + "Cookie: token=t\r\nAuthorization: Bearer t\r\n", good + evil, evil + good,
        std::string("Origin: null\r\n"), std::string("Origin:\r\n"),
        std::string("Origin: https://chat.example.evil.example\r\n")}) {
    EXPECT_EQ(Refusal(node, headers), kForbidden) << headers;
  }
  EXPECT_EQ(FailureFrom(node, "https://evil.example"), "403");
  EXPECT_EQ(FailureFrom(node, "https://chat.example"), "");
  EXPECT_EQ(FailureFrom(node, "http://localhost:3000"), "");
  EXPECT_EQ(FailureFrom(node, ""), "");
}

TEST(HttpSessionTest, WithoutAListOnlyPagesOfTheNodeItselfMayConnect) {
  MemoryNode node;

  EXPECT_EQ(Refusal(node, "Origin: https://evil.example\r\n"), kForbidden);
  EXPECT_EQ(Refusal(node, "Origin: http://chat.example:8081\r\n"), kForbidden);
  EXPECT_EQ(FailureFrom(node, "http://127.0.0.1:8080"), "403");
  EXPECT_EQ(FailureFrom(node, "http://127.0.0.1"), "");
  EXPECT_EQ(FailureFrom(node, ""), "");
}

TEST(HttpSessionTest, ConnectionsAboveTheBoundAreClosed) {
  MemoryNode::Options options;
  options.server.max_connections = 1;
  MemoryNode node(options);
  WsTestClient first(node.port());

  EXPECT_EQ(HttpExchange(node.port(), Get("/")), "");
  EXPECT_EQ(node.Metric("minichat_connections_refused_total"), 1);
}

TEST(ParseTargetTest, SplitsAndDecodes) {
  std::string path;
  std::map<std::string, std::string> query;

  EXPECT_TRUE(ParseTarget("/a%2fb?x=1&&y&z=%26", &path, &query));

  EXPECT_EQ(path, "/a/b");
  EXPECT_EQ(query, (std::map<std::string, std::string>{{"x", "1"}, {"y", ""}, {"z", "&"}}));
  EXPECT_FALSE(ParseTarget("", &path, &query));
  EXPECT_FALSE(ParseTarget("*", &path, &query));
  EXPECT_FALSE(ParseTarget("/%", &path, &query));
  EXPECT_FALSE(ParseTarget("/?a=%ff", &path, &query));
}

TEST(TokenBucketTest, LetsTwiceTheRateThroughThenTheRate) {
  using std::chrono::milliseconds;
  auto now = TokenBucket::Clock::time_point{};
  TokenBucket bucket(2, now);

  for (int i = 0; i < 4; ++i) EXPECT_TRUE(bucket.TryTake(now));
  EXPECT_FALSE(bucket.TryTake(now));
  EXPECT_EQ(bucket.Wait(), milliseconds(501));
  EXPECT_FALSE(bucket.TryTake(now + milliseconds(499)));
  EXPECT_TRUE(bucket.TryTake(now + milliseconds(500)));
}

}  // namespace
}  // namespace minichat::ws
