#include <gtest/gtest.h>

#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"

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

// Each of them read in two ways somewhere; http_head_test.cc has the rules one by one.
TEST(HttpSessionTest, WhatCouldBeReadInTwoWaysIsRefused) {
  MemoryNode node;
  const auto status = [&](const std::string& request) {
    return HttpExchange(node.http_port(), request).substr(0, 13);
  };

  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400 ");
  EXPECT_EQ(status(Get("/", "Host: y\r\n")), "HTTP/1.1 400 ");
  EXPECT_EQ(status(Get("/", "X-A: b\r\n c\r\n")), "HTTP/1.1 400 ");
  EXPECT_EQ(status(Get("/?a=1&a=2")), "HTTP/1.1 400 ");
  EXPECT_EQ(status(Get("/" + std::string(5'000, 'x'))), "HTTP/1.1 414 ");
  EXPECT_EQ(status("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            "HTTP/1.1 400 ");
  EXPECT_EQ(status("GET / HTTP/1.2\r\nHost: x\r\n\r\n"), "HTTP/1.1 505 ");
}

TEST(HttpSessionTest, AChunkedBodyIsPutTogetherAndItsTrailersAreNoHeaders) {
  MemoryNode node;

  const std::string response = HttpExchange(
      node.http_port(),
      "PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n"
      "\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Test: smuggled\r\n\r\n");

  EXPECT_TRUE(Has(response, "\r\n\r\nPUT / [abcde]")) << response;
  EXPECT_FALSE(Has(response, "smuggled"));
}

// The line of a chunk that doesn't end, and a chunk of 2^63 bytes.
TEST(HttpSessionTest, ChunksThatLieCostNoMemory) {
  MemoryNode node;
  const std::string head = "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

  const std::string endless =
      HttpExchange(node.http_port(), head + "1;" + std::string(1 << 20, 'x'));
  const std::string huge =
      HttpExchange(node.http_port(), head + "8000000000000000\r\n" + std::string(200'000, 'x'));

  EXPECT_TRUE(Has(endless, " 400 ") || Has(endless, " 413 ")) << endless;
  EXPECT_TRUE(Has(huge, " 400 ") || Has(huge, " 413 ")) << huge;
}

TEST(HttpSessionTest, WhoAsksFirstMayGoOnWithTheBody) {
  MemoryNode node;

  const std::string response =
      HttpExchange(node.http_port(),
                   "PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n"
                   "Content-Length: 3\r\n\r\nabc");

  EXPECT_EQ(response.find("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), 0u) << response;
}

TEST(HttpSessionTest, HeadIsAnsweredWithoutABody) {
  MemoryNode node;

  const std::string response =
      HttpExchange(node.http_port(), "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" + Get("/b"));

  EXPECT_TRUE(Has(response, "Content-Length: 10\r\n\r\nHTTP/1.1 200 OK")) << response;
  EXPECT_TRUE(Has(response, "GET /b []")) << response;
}

TEST(HttpSessionTest, ABodyThatDoesNotComeAndASecondRequestThatDoesNotAreCutInTime) {
  MemoryNode::Options options;
  options.server.handshake = std::chrono::milliseconds(50);
  MemoryNode node(options);

  const std::string body =
      HttpExchange(node.http_port(), "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  const std::string second =
      HttpExchange(node.http_port(), "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHo");

  EXPECT_TRUE(Has(body, "HTTP/1.1 408 Request Timeout\r\n")) << body;
  EXPECT_TRUE(Has(second, "HTTP/1.1 200 OK\r\n")) << second;
  EXPECT_TRUE(Has(second, "HTTP/1.1 408 Request Timeout\r\n")) << second;
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 0));
}

TEST(HttpSessionTest, AnIdleConnectionIsClosedInTime) {
  MemoryNode::Options options;
  options.server.http_idle = std::chrono::milliseconds(50);
  MemoryNode node(options);

  const std::string response = HttpExchange(node.http_port(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_TRUE(Has(response, "GET / []")) << response;
  EXPECT_FALSE(Has(response, " 408 ")) << response;
}

TEST(HttpSessionTest, ARequestThatDoesNotComeIsCutInTime) {
  MemoryNode::Options options;
  options.server.handshake = std::chrono::milliseconds(50);
  MemoryNode node(options);

  EXPECT_TRUE(Has(HttpExchange(node.http_port(), "GET / HT"), "HTTP/1.1 408 Request Timeout\r\n"));
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

TEST(HttpSessionTest, RefusedUpgradesAreAnsweredInOurOwnWords) {
  MemoryNode node;
  const std::string response =
      HttpExchange(node.port(), Get("/ws",
                                    "Connection: upgrade\r\nUpgrade: websocket\r\n"
                                    "Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: x\r\n"));

  EXPECT_EQ(response.find("HTTP/1.1 426 Upgrade Required\r\nContent-Type: application/json\r\n"),
            0u)
      << response;
  EXPECT_TRUE(Has(response, "Sec-WebSocket-Version: 13\r\n")) << response;
  EXPECT_TRUE(
      Has(response, R"({"code":"bad_request","error":"sec-websocket-version: must be 13"})"))
      << response;
  EXPECT_FALSE(Has(response, "Server:")) << response;
}

TEST(HttpSessionTest, NoResponseNamesTheLibrary) {
  MemoryNode node;
  WsTestClient client(node.port());

  EXPECT_EQ(client.server(), "minichat");
  EXPECT_FALSE(Has(HttpExchange(node.http_port(), Get("/")), "Beast"));
  EXPECT_FALSE(Has(HttpExchange(node.port(), Get("/ws")), "Beast"));
  EXPECT_FALSE(Has(HttpExchange(node.port(), "nonsense\r\n\r\n"), "Beast"));
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

  const std::string response = HttpExchange(node.port(), "");

  EXPECT_TRUE(Has(response, "HTTP/1.1 503 Service Unavailable\r\n")) << response;
  EXPECT_TRUE(Has(response, "Retry-After: 5\r\n")) << response;
  EXPECT_EQ(node.Metric("minichat_connections_refused_total{reason=\"node\"}"), 1);
}

}  // namespace
}  // namespace minichat::ws
