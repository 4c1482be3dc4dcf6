// who, typing and presence over real connections.
#include <chrono>

#include <gtest/gtest.h>

#include "tests/support/memory_node.h"
#include "tests/support/ws_test_client.h"

namespace minichat::ws {
namespace {

using minichat::test::MemoryNode;
using minichat::test::WsTestClient;
using std::chrono::milliseconds;

class PresenceSessionTest : public testing::TestWithParam<std::size_t> {
 protected:
  static MemoryNode::Options Options() {
    MemoryNode::Options options;
    options.io_threads = GetParam();
    options.node.sweep = milliseconds(20);
    options.node.presence_hold = milliseconds(50);
    options.node.directory.node_ttl = milliseconds(1'000);  // which a first absence waits for
    options.node.directory.heartbeat = milliseconds(100);
    options.node.open_rooms = {"general"};
    return options;
  }
  std::unique_ptr<WsTestClient> Member(const std::string& user) {
    auto client = std::make_unique<WsTestClient>(node_.port());
    client->Send(R"({"op":"hello","user":")" + user + "\"}");
    client->Send(R"({"op":"join","rid":1,"room":"general"})");
    EXPECT_EQ(client->Receive().find(R"({"op":"welcome")"), 0u);
    EXPECT_EQ(client->Receive().find(R"({"op":"joined","rid":1)"), 0u);
    return client;
  }

  MemoryNode node_{Options()};
};

INSTANTIATE_TEST_SUITE_P(IoThreads, PresenceSessionTest, testing::Values(1, 2));

TEST_P(PresenceSessionTest, WhoAnswersInPages) {
  const auto ann = Member("ann");
  const auto bob = Member("bob");
  const auto bob_too = Member("bob");

  ann->Send(R"({"op":"who","rid":2,"room":"general"})");
  EXPECT_EQ(ann->Receive(),
            R"({"op":"who","rid":2,"room":"general","users":[{"user":"ann","sessions":1},)"
            R"({"user":"bob","sessions":2}],"next":null})");
  ann->Send(R"({"op":"who","rid":3,"room":"general","limit":1})");
  EXPECT_EQ(ann->Receive(),
            R"({"op":"who","rid":3,"room":"general","users":[{"user":"ann","sessions":1}],)"
            R"("next":"ann"})");
  ann->Send(R"({"op":"who","rid":4,"room":"general","after":"ann","limit":1})");
  EXPECT_EQ(ann->Receive(),
            R"({"op":"who","rid":4,"room":"general","users":[{"user":"bob","sessions":2}],)"
            R"("next":null})");
}

TEST_P(PresenceSessionTest, OutsideTheRoomWhoAndTypingAreRefused) {
  WsTestClient eve(node_.port());
  eve.Send(R"({"op":"hello","user":"eve"})");
  EXPECT_EQ(eve.Receive().find(R"({"op":"welcome")"), 0u);
  for (const char* room : {"general", "private"}) {
    for (const char* op : {"who", "typing"}) {
      eve.Send(std::string(R"({"op":")") + op + R"(","rid":2,"room":")" + room + "\"}");
      EXPECT_EQ(eve.Receive(), std::string(R"({"op":"error","rid":2,"code":"not_member",)") +
                                   R"("message":"this session has not joined )" + room + "\"}");
    }
  }
  EXPECT_EQ(node_.Metric(R"(minichat_refusals_total{reason="not_member"})"), 4);
}

TEST_P(PresenceSessionTest, TypingReachesTheOthersOnly) {
  const auto ann = Member("ann");
  const auto bob = Member("bob");

  ann->Send(R"({"op":"typing","room":"general"})");

  EXPECT_EQ(bob->Receive(), R"({"op":"typing","room":"general","user":"ann"})");
  ann->Send(R"({"op":"ping","rid":2})");
  EXPECT_EQ(ann->Receive(), R"({"op":"pong","rid":2})");
}

TEST_P(PresenceSessionTest, TellsWhoComesAndGoes) {
  const auto ann = Member("ann");
  ann->Send(R"({"op":"who","rid":2,"room":"general"})");  // from now on it is told what changes
  EXPECT_EQ(ann->Receive().find(R"({"op":"who")"), 0u);
  auto bob = Member("bob");

  EXPECT_EQ(ann->ReceiveAny(),
            R"({"op":"presence","room":"general","user":"bob","state":"online"})");
  bob.reset();

  EXPECT_EQ(ann->ReceiveAny(),
            R"({"op":"presence","room":"general","user":"bob","state":"offline"})");
}

}  // namespace
}  // namespace minichat::ws
