// The bounds of addresses, users and the node, on real sockets.
#include <gtest/gtest.h>

#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"

namespace minichat::ws {
namespace {

using minichat::test::HttpExchange;
using minichat::test::MemoryNode;
using minichat::test::WsTestClient;
using std::chrono::milliseconds;

constexpr char kSlowReader[] = "minichat_closes_total{reason=\"slow_reader\"}";

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

MemoryNode::Options LimitedLoopback() {
  MemoryNode::Options options;
  options.server.limit_loopback = true;
  return options;
}

std::string AnswerToUpgrade(const MemoryNode& node) {
  return HttpExchange(node.port(),
                      "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n"
                      "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                      "Sec-WebSocket-Version: 13\r\n\r\n");
}

std::unique_ptr<WsTestClient> Client(const MemoryNode& node, const std::string& user) {
  auto client = std::make_unique<WsTestClient>(node.port());
  client->Send(R"({"op":"hello","user":")" + user + "\"}");
  return client;
}

std::unique_ptr<WsTestClient> Member(const MemoryNode& node, const std::string& user) {
  auto client = Client(node, user);
  client->Receive();
  client->Send(R"({"op":"join","rid":1,"room":"general"})");
  EXPECT_TRUE(Has(client->Receive(), R"("op":"joined")"));
  return client;
}

TEST(EdgeLimitsTest, AnAddressThatHasItsConnectionsIsToldSo) {
  MemoryNode::Options options = LimitedLoopback();
  options.server.address_connections = 1;
  MemoryNode node(options);
  WsTestClient first(node.port());

  const std::string refused = HttpExchange(node.port(), "");

  EXPECT_TRUE(Has(refused, "HTTP/1.1 429 Too Many Requests\r\n")) << refused;
  EXPECT_TRUE(Has(refused, "Retry-After: 5\r\n")) << refused;
  EXPECT_TRUE(Has(refused, R"("code":"rate_limited")")) << refused;
  EXPECT_EQ(node.Metric("minichat_connections_refused_total{reason=\"address\"}"), 1);
  first.Drop();
  ASSERT_TRUE(node.WaitForMetric("minichat_connections", 0));
  EXPECT_EQ(WsTestClient(node.port()).failure(), "");
}

TEST(EdgeLimitsTest, DescriptorsAboveTheBoundAreNotForClients) {
  MemoryNode::Options options;
  options.server.max_descriptor = 1;  // every socket's is above
  MemoryNode node(options);

  const std::string refused = HttpExchange(node.port(), "");

  EXPECT_TRUE(Has(refused, "HTTP/1.1 503 Service Unavailable\r\n")) << refused;
  EXPECT_EQ(node.Metric("minichat_connections_refused_total{reason=\"descriptors\"}"), 1);
  EXPECT_EQ(node.Metric("minichat_connections"), 0);
}

TEST(EdgeLimitsTest, HandshakesOfAnAddressAreLimitedBeforeTheUpgrade) {
  MemoryNode::Options options = LimitedLoopback();
  options.server.address_handshakes_per_s = 1;
  MemoryNode node(options);
  const WsTestClient one(node.port());
  const WsTestClient two(node.port());

  const std::string refused = AnswerToUpgrade(node);

  EXPECT_TRUE(Has(refused, "HTTP/1.1 429 Too Many Requests\r\n")) << refused;
  EXPECT_TRUE(Has(refused, "Retry-After: 1\r\n")) << refused;
  EXPECT_EQ(node.Metric("minichat_refusals_total{reason=\"rate_limited\"}"), 1);
  EXPECT_TRUE(Has(HttpExchange(node.port(), "GET / HTTP/1.0\r\n\r\n"), " 200 OK"));
}

TEST(EdgeLimitsTest, HandshakesOfAllAreLimitedBeforeTheUpgrade) {
  MemoryNode::Options options;
  options.server.handshakes_per_s = 1;
  MemoryNode node(options);
  const WsTestClient one(node.port());
  const WsTestClient two(node.port());

  const std::string refused = AnswerToUpgrade(node);

  EXPECT_TRUE(Has(refused, "HTTP/1.1 503 Service Unavailable\r\n")) << refused;
  EXPECT_TRUE(Has(refused, "Retry-After: 1\r\n")) << refused;
  EXPECT_EQ(node.Metric("minichat_refusals_total{reason=\"overloaded\"}"), 1);
}

TEST(EdgeLimitsTest, AUserHasSoManySessions) {
  MemoryNode::Options options;
  options.sessions.user_sessions = 1;
  MemoryNode node(options);
  const auto first = Client(node, "ann");
  ASSERT_TRUE(Has(first->Receive(), R"("op":"welcome")"));

  const auto second = Client(node, "ann");
  const auto other = Client(node, "bob");

  EXPECT_TRUE(Has(second->Receive(), R"("code":"overloaded","message":"hello: this user has)"));
  EXPECT_EQ(second->AwaitClose(), 4003);
  EXPECT_TRUE(Has(other->Receive(), R"("op":"welcome")"));
  first->Drop();
  ASSERT_TRUE(node.WaitForMetric("minichat_sessions", 1));
  EXPECT_TRUE(Has(Client(node, "ann")->Receive(), R"("op":"welcome")"));
}

// A hello that the node refuses takes none of the user's.
TEST(EdgeLimitsTest, ARefusedSessionDoesNotCountForItsUser) {
  MemoryNode::Options options;
  options.sessions.user_sessions = 1;
  options.node.max_sessions = 1;
  MemoryNode node(options);
  const auto bob = Client(node, "bob");
  ASSERT_TRUE(Has(bob->Receive(), R"("op":"welcome")"));
  EXPECT_EQ(Client(node, "ann")->AwaitClose(), 4003);
  bob->Drop();
  ASSERT_TRUE(node.WaitForMetric("minichat_sessions", 0));

  EXPECT_TRUE(Has(Client(node, "ann")->Receive(), R"("op":"welcome")"));
}

TEST(EdgeLimitsTest, AUsersSessionsShareTheirRate) {
  MemoryNode::Options options;
  options.sessions.user_messages_per_s = 1;
  MemoryNode node(options);
  const auto one = Client(node, "ann");
  const auto two = Client(node, "ann");
  const auto other = Client(node, "bob");
  for (const auto* client : {&one, &two, &other}) (*client)->Receive();

  one->Send(R"({"op":"ping","rid":1})");
  EXPECT_EQ(one->Receive(), R"({"op":"pong","rid":1})");
  two->Send(R"({"op":"ping","rid":2})");
  EXPECT_EQ(two->Receive(), R"({"op":"pong","rid":2})");
  one->Send(R"({"op":"ping","rid":3})");
  const std::string refused = one->Receive();
  other->Send(R"({"op":"ping","rid":4})");

  EXPECT_TRUE(Has(refused, R"("rid":3,"code":"rate_limited")")) << refused;
  EXPECT_TRUE(Has(refused, "\"retry_after_ms\":")) << refused;
  EXPECT_EQ(other->Receive(), R"({"op":"pong","rid":4})");
}

// Someone who reads nothing, with little room in the sockets.
class NodeMemoryTest : public testing::Test {
 protected:
  static MemoryNode::Options Options() {
    MemoryNode::Options options;
    options.server.send_buffer_bytes = 4096;
    options.server.slow_close = milliseconds(50);
    options.server.outbound.node_bytes = 64 * 1024;
    return options;
  }
  // The answers to sends until one is refused, the reader is closed, or 5,000 went well.
  static std::string SendUntilRefused(MemoryNode& node, WsTestClient& sender) {
    const std::string text(4000, 'x');
    for (int i = 0; i < 5'000 && node.Metric(kSlowReader) < 1; ++i) {
      const std::string cid = "c-" + std::to_string(i);
      sender.Send(R"({"op":"send","rid":1,"room":"general","cid":")" + cid + R"(","text":")" +
                  text + "\"}");
      const std::string first = sender.Receive();
      if (Has(first, R"("op":"error")")) return first;
      sender.Receive();
    }
    return "";
  }
};

TEST_F(NodeMemoryTest, AboveTheBoundWhoHoldsMoreThanAFairShareIsClosed) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");
  const auto slow = Member(node, "bob");
  slow->ShrinkReceiveBuffer();

  SendUntilRefused(node, *ann);

  EXPECT_TRUE(node.WaitForMetric(kSlowReader, 1));
  EXPECT_TRUE(node.WaitForMetric("minichat_outbound_queue_bytes", 0));
  EXPECT_EQ(node.Metric("minichat_sessions"), 1);
}

TEST_F(NodeMemoryTest, AboveTheBoundSendsAndSessionsAreOverloadedUntilThereIsRoom) {
  MemoryNode::Options options = Options();
  options.server.outbound.fair_bytes = 1 << 30;
  MemoryNode node(options);
  const auto ann = Member(node, "ann");
  const auto slow = Member(node, "bob");
  slow->ShrinkReceiveBuffer();

  const std::string refused = SendUntilRefused(node, *ann);
  const auto late = Client(node, "cid");

  EXPECT_TRUE(Has(refused, R"("code":"overloaded")")) << refused;
  EXPECT_TRUE(Has(refused, "\"retry_after_ms\":")) << refused;
  EXPECT_TRUE(Has(late->Receive(), R"("code":"overloaded")"));
  EXPECT_EQ(late->AwaitClose(), 4003);
  slow->Drop();
  ASSERT_TRUE(node.WaitForMetric("minichat_outbound_queue_bytes", 0));
  ann->Send(R"({"op":"send","rid":"last","room":"general","cid":"last","text":"hi"})");
  EXPECT_TRUE(Has(ann->Receive(), R"("op":"ack","rid":"last")"));
}

}  // namespace
}  // namespace minichat::ws
