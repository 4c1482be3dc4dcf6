// Who a session is, from hello to the end of its token. The signatures are auth's matter: here a
// token is "user:lifetime", with the lifetime in milliseconds from now.
#include <gtest/gtest.h>

#include "server/core/ports/authenticator.h"
#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"

namespace minichat::ws {
namespace {

using minichat::test::MemoryNode;
using minichat::test::WsTestClient;

constexpr char kLong[] = "600000";
constexpr char kShort[] = "100";

class FakeAuthenticator final : public core::Authenticator {
 public:
  Result<core::Identity> Verify(std::string_view token, std::int64_t now_ms) const override {
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos) return InvalidArgument("token: the signature is wrong");
    core::Identity identity;
    identity.user = core::UserId(std::string(token.substr(0, colon)));
    identity.expires_at_ms = now_ms + std::stoll(std::string(token.substr(colon + 1)));
    identity.valid_until_ms = identity.expires_at_ms;
    return identity;
  }
};

bool Has(const std::string& frame, const std::string& part) {
  return frame.find(part) != std::string::npos;
}

std::string Hello(const std::string& user, const std::string& lifetime) {
  return R"({"op":"hello","token":")" + user + ":" + lifetime + "\"}";
}
std::string Refresh(const std::string& token) {
  return R"({"op":"refresh","rid":6,"token":")" + token + "\"}";
}

class SessionAuthTest : public testing::TestWithParam<std::size_t> {
 protected:
  MemoryNode::Options Options() const {
    MemoryNode::Options options;
    options.io_threads = GetParam();
    options.authenticator = &authenticator_;
    options.sessions.insecure_auth = false;
    options.sessions.expiry_tick = std::chrono::milliseconds(10);
    return options;
  }
  std::unique_ptr<WsTestClient> Client(const MemoryNode& node, const std::string& hello) const {
    auto client = std::make_unique<WsTestClient>(node.port());
    client->Send(hello);
    const std::string welcome = client->Receive();
    EXPECT_TRUE(Has(welcome, R"("op":"welcome")")) << welcome;
    return client;
  }

  FakeAuthenticator authenticator_;
};

INSTANTIATE_TEST_SUITE_P(IoThreads, SessionAuthTest, testing::Values(1, 2));

TEST_P(SessionAuthTest, TheTokenNamesTheUser) {
  MemoryNode node(Options());
  WsTestClient client(node.port());
  client.Send(Hello("ann", kLong));

  const std::string welcome = client.Receive();

  EXPECT_TRUE(Has(welcome, R"("user":"ann")")) << welcome;
  EXPECT_TRUE(Has(welcome, R"("expires":)")) << welcome;
}

TEST_P(SessionAuthTest, AHelloWithoutAGoodTokenIsRefusedAndTold) {
  MemoryNode node(Options());
  const std::pair<const char*, const char*> cases[] = {
      {R"({"op":"hello","user":"ann"})", "hello.token: is missing; this node takes no names"},
      {R"({"op":"hello"})", "hello.token: is missing"},
      {R"({"op":"hello","token":"forged"})", "hello.token: the signature is wrong"},
      {R"({"op":"hello","user":"bob","token":"ann:1000"})", "hello.user: is not the token's user"},
  };
  for (const auto& [hello, reason] : cases) {
    SCOPED_TRACE(hello);
    WsTestClient client(node.port());
    client.Send(hello);
    const std::string refusal = client.Receive();
    EXPECT_TRUE(Has(refusal, R"("code":"unauthorized")") && Has(refusal, reason)) << refusal;
    EXPECT_FALSE(Has(refusal, "forged")) << refusal;
    EXPECT_EQ(client.AwaitClose(), 4001);
  }
  EXPECT_EQ(node.Metric("minichat_sessions"), 0);
}

TEST_P(SessionAuthTest, UserBesideTheTokenMayBeTheSame) {
  MemoryNode node(Options());

  Client(node, R"({"op":"hello","user":"ann","token":"ann:600000"})");
}

// C17.
TEST_P(SessionAuthTest, TheEndOfTheTokenEndsTheSession) {
  MemoryNode node(Options());
  const auto ann = Client(node, Hello("ann", kShort));
  const auto bob = Client(node, Hello("bob", kLong));

  const std::string told = ann->Receive();

  EXPECT_EQ(told, R"({"op":"error","code":"unauthorized","message":"token: has expired"})");
  EXPECT_EQ(ann->AwaitClose(), 4004);
  EXPECT_TRUE(node.WaitForMetric("minichat_closes_total{reason=\"token_expired\"}", 1));
  EXPECT_TRUE(node.WaitForMetric("minichat_sessions", 1));
  bob->Send(R"({"op":"ping","rid":1})");
  EXPECT_EQ(bob->Receive(), R"({"op":"pong","rid":1})");
}

TEST_P(SessionAuthTest, RefreshMakesTheSessionLiveOn) {
  MemoryNode node(Options());
  const auto until = Client(node, Hello("until", "3500"));
  const auto ann = Client(node, Hello("ann", "3000"));

  ann->Send(Refresh("ann:600000"));

  EXPECT_TRUE(Has(ann->Receive(), R"({"op":"refreshed","rid":6,"expires":)"));
  EXPECT_EQ(until->AwaitClose(), 4004);  // ann's first token is over by now
  ann->Send(R"({"op":"ping","rid":1})");
  EXPECT_EQ(ann->Receive(), R"({"op":"pong","rid":1})");
}

TEST_P(SessionAuthTest, ARefreshedSessionEndsWithItsNewToken) {
  MemoryNode node(Options());
  const auto ann = Client(node, Hello("ann", kLong));

  ann->Send(Refresh(std::string("ann:") + kShort));

  EXPECT_TRUE(Has(ann->Receive(), R"("op":"refreshed")"));
  EXPECT_EQ(ann->AwaitClose(), 4004);
}

TEST_P(SessionAuthTest, RefreshIsForTheSameUserAndAGoodToken) {
  MemoryNode node(Options());
  const auto ann = Client(node, Hello("ann", kLong));

  ann->Send(Refresh("bob:600000"));
  EXPECT_TRUE(Has(ann->Receive(), R"("rid":6,"code":"forbidden","message":"refresh.token: is an)"));
  ann->Send(Refresh("forged"));
  EXPECT_TRUE(
      Has(ann->Receive(), R"("rid":6,"code":"unauthorized","message":"refresh.token: the)"));
  ann->Send(R"({"op":"ping","rid":1})");
  EXPECT_EQ(ann->Receive(), R"({"op":"pong","rid":1})");
}

TEST_P(SessionAuthTest, InsecureAuthWantsANameAndKnowsNoRefresh) {
  MemoryNode::Options options = Options();
  options.sessions.insecure_auth = true;
  MemoryNode node(options);
  WsTestClient nameless(node.port());
  nameless.Send(Hello("ann", kLong));
  EXPECT_TRUE(Has(nameless.Receive(), "hello.user: is missing; this node takes names"));

  const auto ann = Client(node, R"({"op":"hello","user":"ann"})");
  ann->Send(Refresh("ann:600000"));

  EXPECT_TRUE(Has(ann->Receive(), R"("rid":6,"code":"bad_request")"));
}

}  // namespace
}  // namespace minichat::ws
