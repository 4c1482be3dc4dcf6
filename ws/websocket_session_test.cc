#include <chrono>

#include <gtest/gtest.h>

#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"

namespace minichat::ws {
namespace {

using minichat::test::MemoryNode;
using minichat::test::WsTestClient;

using std::chrono::milliseconds;

std::string Hello(const std::string& user, const std::string& more = "") {
  return R"({"op":"hello","user":")" + user + "\"" + more + "}";
}

// A client that has been welcomed.
std::unique_ptr<WsTestClient> Client(const MemoryNode& node, const std::string& user) {
  auto client = std::make_unique<WsTestClient>(node.port());
  client->Send(Hello(user));
  const std::string welcome = client->Receive();
  EXPECT_EQ(welcome.substr(0, 15), R"({"op":"welcome")") << welcome;
  return client;
}

std::unique_ptr<WsTestClient> Member(const MemoryNode& node, const std::string& user,
                                     const std::string& room = "general") {
  auto client = Client(node, user);
  client->Send(R"({"op":"join","rid":1,"room":")" + room + "\"}");
  EXPECT_NE(client->Receive().find(R"("op":"joined","rid":1)"), std::string::npos);
  return client;
}

std::string SendOf(const std::string& cid, const std::string& text) {
  return R"({"op":"send","rid":")" + cid + R"(","room":"general","cid":")" + cid + R"(","text":")" +
         text + "\"}";
}

bool Has(const std::string& frame, const std::string& part) {
  return frame.find(part) != std::string::npos;
}

std::string ClosesOf(const std::string& reason) {
  return "minichat_closes_total{reason=\"" + reason + "\"}";
}

class WebSocketSessionTest : public testing::TestWithParam<std::size_t> {
 protected:
  MemoryNode::Options Options() const {
    MemoryNode::Options options;
    options.io_threads = GetParam();
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(IoThreads, WebSocketSessionTest, testing::Values(1, 2));

TEST_P(WebSocketSessionTest, WelcomeTellsNodeAndLimits) {
  MemoryNode node(Options());
  WsTestClient client(node.port());
  client.Send(R"({"op":"hello","rid":"h","user":"ann"})");

  const std::string welcome = client.Receive();

  EXPECT_TRUE(Has(welcome, R"({"op":"welcome","rid":"h","session":")")) << welcome;
  EXPECT_TRUE(Has(welcome, R"("user":"ann","node":"n1",)"));
  EXPECT_TRUE(Has(welcome, R"("ping_ms":25000,"limits":{"text_bytes":4096,"frame_bytes":65536,)"));
  EXPECT_TRUE(Has(welcome, R"("resumed":{}})"));
  EXPECT_EQ(client.subprotocol(), "minichat.v1.json");
}

TEST_P(WebSocketSessionTest, MessagesReachAllSessionsOfTheRoom) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");
  const auto bob = Member(node, "bob");

  ann->Send(SendOf("c-1", "hi"));

  const std::string first = ann->Receive();
  const std::string second = ann->Receive();
  EXPECT_TRUE(Has(first, R"("op":"ack","rid":"c-1")") || Has(second, R"("op":"ack","rid":"c-1")"));
  EXPECT_TRUE(Has(first, R"("text":"hi")") || Has(second, R"("text":"hi")"));
  const std::string event = bob->Receive();
  EXPECT_TRUE(Has(event, R"({"op":"message","room":"general","seq":1,"id":")")) << event;
  EXPECT_TRUE(Has(event, R"("from":"ann")"));
}

TEST_P(WebSocketSessionTest, DataComesBackByteForByte) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");
  const std::string data = R"({ "b":1.50,  "a":[null,"\u00e9"] })";
  ann->Send(R"({"op":"send","room":"general","cid":"c-1","data":)" + data + "}");

  const std::string first = ann->Receive();
  const std::string second = ann->Receive();

  EXPECT_TRUE(Has(first + second, "\"data\":" + data + "}")) << first << second;
}

TEST_P(WebSocketSessionTest, ResumeTellsEachRoomThenSendsWhatWasMissed) {
  MemoryNode::Options options = Options();
  options.node.open_rooms = {"gen*"};
  MemoryNode node(options);
  const auto ann = Member(node, "ann");
  for (const char* cid : {"c-1", "c-2", "c-3"}) ann->Send(SendOf(cid, cid));
  for (int i = 0; i < 6; ++i) ann->Receive();
  WsTestClient bob(node.port());

  bob.Send(Hello("bob", R"(,"resume":{"general":1,"private":4})"));

  const std::string welcome = bob.Receive();
  EXPECT_TRUE(Has(welcome, R"("resumed":{"general":{"recovered":true,"head":3},)")) << welcome;
  EXPECT_TRUE(Has(welcome, R"("private":{"error":"forbidden"}})")) << welcome;
  EXPECT_TRUE(Has(bob.Receive(), R"("seq":2,)"));
  EXPECT_TRUE(Has(bob.Receive(), R"("seq":3,)"));
}

TEST_P(WebSocketSessionTest, FramesSentRightBehindHelloAreAnsweredAfterWelcome) {
  MemoryNode node(Options());
  WsTestClient client(node.port());

  client.Send(Hello("ann", R"(,"resume":{"general":0})"));
  client.Send(R"({"op":"ping","rid":2})");

  EXPECT_TRUE(Has(client.Receive(), R"("op":"welcome")"));
  EXPECT_EQ(client.Receive(), R"({"op":"pong","rid":2})");
}

TEST_P(WebSocketSessionTest, HistoryLeaveAndMembership) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");
  ann->Send(SendOf("c-1", "hi"));
  ann->Receive();
  ann->Receive();

  ann->Send(R"({"op":"history","rid":4,"room":"general"})");
  EXPECT_TRUE(Has(ann->Receive(), R"("messages":[{"op":"message","room":"general","seq":1,)"));
  ann->Send(R"({"op":"leave","rid":5,"room":"general"})");
  EXPECT_EQ(ann->Receive(), R"({"op":"left","rid":5,"room":"general"})");
  ann->Send(SendOf("c-2", "hi"));
  EXPECT_TRUE(Has(ann->Receive(), R"("rid":"c-2","code":"not_member")"));
}

TEST_P(WebSocketSessionTest, BadFramesAreAnsweredAndCostNothingElse) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");

  ann->Send(R"({"op":"send","rid":9,"room":"general","cid":"","text":"x"})");
  EXPECT_TRUE(Has(ann->Receive(), R"("rid":9,"code":"bad_request","message":"send.cid: must)"));
  ann->Send(R"({"op":"dance","rid":10})");
  EXPECT_TRUE(Has(ann->Receive(), R"(op: unknown \"dance\")"));
  ann->Send("nonsense");
  EXPECT_TRUE(Has(ann->Receive(), "not valid JSON"));
  ann->Send(Hello("bob"));
  EXPECT_TRUE(Has(ann->Receive(), "has had its hello"));
  ann->Send(SendOf("c-1", "hi"));
  EXPECT_TRUE(Has(ann->Receive() + ann->Receive(), R"("op":"ack")"));
  EXPECT_EQ(node.Metric("minichat_refusals_total{reason=\"bad_request\"}"), 4);
}

TEST_P(WebSocketSessionTest, RoomsOutsideThePatternsAreForbidden) {
  MemoryNode::Options options = Options();
  options.node.open_rooms = {"public-*", "lobby"};
  MemoryNode node(options);
  const auto ann = Member(node, "ann", "public-1");

  ann->Send(R"({"op":"join","rid":2,"room":"secret"})");

  EXPECT_TRUE(Has(ann->Receive(), R"("rid":2,"code":"forbidden")"));
}

TEST_P(WebSocketSessionTest, RoomsPerSessionAreLimited) {
  MemoryNode::Options options = Options();
  options.sessions.max_rooms = 1;
  MemoryNode node(options);
  const auto ann = Member(node, "ann");

  ann->Send(R"({"op":"join","rid":2,"room":"second"})");
  EXPECT_TRUE(Has(ann->Receive(), R"("rid":2,"code":"overloaded")"));
  ann->Send(R"({"op":"leave","rid":3,"room":"general"})");
  ann->Receive();
  ann->Send(R"({"op":"join","rid":4,"room":"second"})");
  EXPECT_TRUE(Has(ann->Receive(), R"("op":"joined","rid":4)"));
}

TEST_P(WebSocketSessionTest, FramesAboveTheRateAreRefusedWithATime) {
  MemoryNode::Options options = Options();
  options.sessions.messages_per_s = 1;
  MemoryNode node(options);
  const auto ann = Client(node, "ann");

  ann->Send(R"({"op":"ping","rid":1})");
  ann->Send(R"({"op":"ping","rid":2})");

  EXPECT_EQ(ann->Receive(), R"({"op":"pong","rid":1})");
  const std::string refused = ann->Receive();
  EXPECT_TRUE(Has(refused, R"("rid":2,"code":"rate_limited")")) << refused;
  EXPECT_TRUE(Has(refused, "\"retry_after_ms\":")) << refused;
}

struct FirstFrame {
  std::string frame;
  std::string code;
};

TEST_P(WebSocketSessionTest, AnythingButAGoodHelloFirstIsRefusedAndClosed) {
  MemoryNode::Options options = Options();
  options.server.close = std::chrono::minutes(1);  // the closing handshake itself must end it
  MemoryNode node(options);
  const std::vector<FirstFrame> cases = {
      {R"({"op":"join","rid":1,"room":"general"})", "bad_request"},
      {R"({"op":"hello","user":""})", "bad_request"},
      {"nonsense", "bad_request"},
      {R"({"op":"hello","token":"t"})", "unauthorized"},
  };
  for (const FirstFrame& first : cases) {
    SCOPED_TRACE(first.frame);
    WsTestClient client(node.port());
    client.Send(first.frame);
    client.Send(Hello("ann"));
    EXPECT_TRUE(Has(client.Receive(), "\"code\":\"" + first.code + "\""));
    EXPECT_EQ(client.AwaitClose(), 4001);
  }
  EXPECT_TRUE(node.WaitForMetric(ClosesOf("bad_hello"), 4));
  EXPECT_EQ(node.Metric("minichat_sessions"), 0);
}

TEST_P(WebSocketSessionTest, NoHelloInTimeIsClosed) {
  MemoryNode::Options options = Options();
  options.server.handshake = milliseconds(50);
  MemoryNode node(options);
  WsTestClient client(node.port());

  EXPECT_EQ(client.AwaitClose(), 4000);
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 0));
}

TEST_P(WebSocketSessionTest, WrongFramesCloseWithTheirCode) {
  MemoryNode node(Options());
  const auto binary = Client(node, "ann");
  const auto large = Client(node, "bob");
  const auto not_utf8 = Client(node, "cid");
  const auto not_websocket = Client(node, "dan");

  binary->SendBinary("x");
  large->Send(std::string(65'537, 'x'));
  not_utf8->Send("{\"op\":\"\xff\"}");
  not_websocket->SendRaw(std::string("\x8f\x00", 2));

  EXPECT_EQ(binary->AwaitClose(), 1003);
  EXPECT_EQ(large->AwaitClose(), 1009);
  EXPECT_EQ(not_utf8->AwaitClose(), 1007);
  EXPECT_EQ(not_websocket->AwaitClose(), 1002);
  for (const char* reason : {"binary_frame", "frame_too_large", "bad_utf8", "protocol_error"}) {
    EXPECT_TRUE(node.WaitForMetric(ClosesOf(reason), 1)) << reason;
  }
  EXPECT_TRUE(node.WaitForMetric("minichat_sessions", 0));
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 0));
}

TEST_P(WebSocketSessionTest, ALostConnectionEndsItsSession) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");
  ASSERT_EQ(node.Metric("minichat_sessions"), 1);

  ann->Drop();

  EXPECT_TRUE(node.WaitForMetric("minichat_sessions", 0));
  EXPECT_TRUE(node.WaitForMetric(ClosesOf("connection_lost"), 1));
}

TEST_P(WebSocketSessionTest, PingsKeepAQuietClientAndSilenceEndsIt) {
  MemoryNode::Options options = Options();
  options.server.ping = milliseconds(50);
  options.server.close = milliseconds(50);
  MemoryNode node(options);
  // Reads nothing from here on, so answers no ping.
  const auto ann = Member(node, "ann");

  EXPECT_TRUE(node.WaitForMetric(ClosesOf("silent"), 1));
  EXPECT_TRUE(node.WaitForMetric("minichat_sessions", 0));
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 0));
}

TEST_P(WebSocketSessionTest, ASlowReaderIsClosedAndOthersGoOn) {
  MemoryNode::Options options = Options();
  options.server.outbound.bytes = 64 * 1024;
  options.server.send_buffer_bytes = 4096;
  options.server.slow_close = milliseconds(50);
  MemoryNode node(options);
  const auto ann = Member(node, "ann");
  WsTestClient slow(node.port());
  slow.ShrinkReceiveBuffer();
  slow.Send(Hello("bob"));
  slow.Receive();
  slow.Send(R"({"op":"join","room":"general"})");
  slow.Receive();

  const std::string text(4000, 'x');
  int sent = 0;
  while (node.Metric(ClosesOf("slow_reader")) < 1 && sent < 5'000) {
    ann->Send(SendOf("c-" + std::to_string(++sent), text));
    ann->Receive();
    ann->Receive();
  }

  EXPECT_TRUE(node.WaitForMetric(ClosesOf("slow_reader"), 1));
  EXPECT_EQ(node.Metric("minichat_queue_overflows_total{queue=\"outbound\"}"), 1);
  EXPECT_TRUE(node.WaitForMetric("minichat_sessions", 1));
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 1));
  EXPECT_TRUE(node.WaitForMetric("minichat_outbound_queue_bytes", 0));
  ann->Send(R"({"op":"ping","rid":1})");
  EXPECT_EQ(ann->Receive(), R"({"op":"pong","rid":1})");
}

TEST_P(WebSocketSessionTest, WhoOnlySendsPingsAndReadsNothingIsASlowReader) {
  MemoryNode::Options options = Options();
  options.server.outbound.age = milliseconds(50);
  options.server.tick = milliseconds(20);
  options.server.send_buffer_bytes = 4096;
  options.server.slow_close = milliseconds(50);
  MemoryNode node(options);
  WsTestClient client(node.port());
  client.ShrinkReceiveBuffer();
  client.Send(Hello("ann"));
  client.Receive();
  const std::string ping = std::string("\x89\xfd\0\0\0\0", 6) + std::string(125, 'p');

  std::string pings;
  for (int i = 0; i < 1'000; ++i) pings += ping;

  // Their pongs are more than the two sockets hold.
  client.SendRaw(pings);

  EXPECT_TRUE(node.WaitForMetric(ClosesOf("slow_reader"), 1));
  EXPECT_TRUE(node.WaitForMetric("minichat_sessions", 0));
  EXPECT_TRUE(node.WaitForMetric("minichat_connections", 0));
}

TEST_P(WebSocketSessionTest, PongsAndMessagesShareTheConnection) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");
  const auto bob = Member(node, "bob");
  const std::string ping = std::string("\x89\x81\0\0\0\0p", 7);

  for (int i = 1; i <= 100; ++i) {
    bob->SendRaw(ping);
    ann->Send(SendOf("c-" + std::to_string(i), std::string(static_cast<std::size_t>(i) * 20, 'x')));
    bob->SendRaw(ping);
  }

  for (int seq = 1; seq <= 100; ++seq) {
    const std::string event = bob->Receive();
    ASSERT_TRUE(Has(event, "\"seq\":" + std::to_string(seq) + ",")) << event.substr(0, 200);
  }
}

TEST_P(WebSocketSessionTest, WithoutCoalescingTheSameArrives) {
  MemoryNode::Options options = Options();
  options.server.coalesce = false;
  MemoryNode node(options);
  const auto ann = Member(node, "ann");

  ann->Send(SendOf("c-1", "hi"));
  ann->Send(R"({"op":"history","rid":4,"room":"general"})");

  const std::string all = ann->Receive() + ann->Receive() + ann->Receive();
  EXPECT_TRUE(Has(all, R"("op":"ack","rid":"c-1")")) << all;
  EXPECT_TRUE(Has(all, R"({"op":"message","room":"general","seq":1,)")) << all;
  EXPECT_TRUE(Has(all, R"("op":"history","rid":4)")) << all;
}

TEST_P(WebSocketSessionTest, AResumeLargerThanTheQueueIsNoSlowReading) {
  MemoryNode::Options options = Options();
  options.server.outbound.bytes = 64 * 1024;
  options.server.send_buffer_bytes = 64 * 1024;
  MemoryNode node(options);
  const auto ann = Member(node, "ann");
  const std::string text(4000, 'x');
  for (int i = 1; i <= 300; ++i) {
    ann->Send(SendOf("c-" + std::to_string(i), text));
    ann->Receive();
    ann->Receive();
  }
  WsTestClient bob(node.port());

  bob.Send(Hello("bob", R"(,"resume":{"general":0})"));

  EXPECT_TRUE(Has(bob.Receive(), R"("recovered":true,"head":300)"));
  for (int seq = 1; seq <= 300; ++seq) {
    const std::string event = bob.Receive();
    ASSERT_TRUE(Has(event, "\"seq\":" + std::to_string(seq) + ",")) << event.substr(0, 200);
  }
}

TEST_P(WebSocketSessionTest, ClosingAllSaysByeAndCloses1012) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");
  const auto bob = Client(node, "bob");
  WsTestClient stranger(node.port());

  node.StartClosing(milliseconds(5'000));

  EXPECT_EQ(ann->Receive(),
            R"({"op":"bye","reason":"draining","reconnect":{"after_ms":100,"jitter_ms":2000}})");
  EXPECT_EQ(ann->AwaitClose(), 1012);
  EXPECT_EQ(bob->AwaitClose(), 1012);
  EXPECT_EQ(stranger.AwaitClose(), 1012);
  EXPECT_TRUE(node.WaitUntilClosed());
  EXPECT_EQ(node.Metric(ClosesOf("draining")), 3);
}

TEST_P(WebSocketSessionTest, ClosingAllCutsWhoDoesNotAnswerInTime) {
  MemoryNode node(Options());
  const auto ann = Member(node, "ann");

  node.StartClosing(milliseconds(100));

  EXPECT_TRUE(node.WaitUntilClosed());
  EXPECT_EQ(node.Metric("minichat_connections"), 0);
}

TEST_P(WebSocketSessionTest, SessionsAboveTheBoundAreRefused) {
  MemoryNode::Options options = Options();
  options.node.max_sessions = 1;
  MemoryNode node(options);
  const auto ann = Client(node, "ann");
  WsTestClient bob(node.port());

  bob.Send(Hello("bob"));

  EXPECT_TRUE(Has(bob.Receive(), R"("code":"overloaded")"));
  EXPECT_EQ(bob.AwaitClose(), 4003);
}

TEST_P(WebSocketSessionTest, SubprotocolOursNoneOrRefused) {
  MemoryNode node(Options());

  EXPECT_EQ(WsTestClient(node.port(), "chat, minichat.v1.json").subprotocol(), "minichat.v1.json");
  EXPECT_EQ(WsTestClient(node.port(), "").subprotocol(), "");
  EXPECT_EQ(WsTestClient(node.port(), "").failure(), "");
  EXPECT_EQ(WsTestClient(node.port(), "chat.v9").failure(), "400");
}

}  // namespace
}  // namespace minichat::ws
