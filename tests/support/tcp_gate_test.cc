#include "tests/support/tcp_gate.h"

#include <array>
#include <cerrno>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "tests/support/loopback_listener.h"
#include "tests/support/scratch_process.h"

namespace minichat::test {
namespace {

using loadtest::Endpoint;
using loadtest::Fd;
using std::chrono::milliseconds;
using std::chrono::seconds;
using enum TcpGate::Direction;

// What came within the limit: "<end>" for an orderly end, "<reset>" for a broken connection, "" for
// nothing.
std::string Receive(const Fd& fd, milliseconds limit = seconds(5)) {
  pollfd entry{fd.get(), POLLIN, 0};
  if (poll(&entry, 1, static_cast<int>(limit.count())) <= 0) return "";
  std::array<char, 1024> bytes;
  const ssize_t got = recv(fd.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return "<reset>";
  return got == 0 ? "<end>" : std::string(bytes.data(), static_cast<std::size_t>(got));
}

void Send(const Fd& fd, const std::string& text) {
  ASSERT_EQ(send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

// A listener, a gate before it, and both ends of one connection through the gate.
class TcpGateTest : public testing::Test {
 protected:
  void SetUp() override {
    gate_.SetTarget(listener_.endpoint());
    client_ = Connect();
    server_ = listener_.Accept();
    ASSERT_TRUE(server_.valid());
  }

  Fd Connect() {
    auto fd = loadtest::StartConnect(gate_.address());
    pollfd entry{fd->get(), POLLOUT, 0};
    poll(&entry, 1, 5'000);
    return std::move(fd).value();
  }

  TcpGate gate_;
  LoopbackListener listener_;
  Fd client_, server_;
};

TEST_F(TcpGateTest, ForwardsBothWaysAndCountsTheBytes) {
  Send(client_, "hello");
  EXPECT_EQ(Receive(server_), "hello");
  Send(server_, "hi");
  EXPECT_EQ(Receive(client_), "hi");

  EXPECT_EQ(gate_.counts().accepted, 1u);
  EXPECT_EQ(gate_.counts().bytes_to_server, 5u);
  EXPECT_EQ(gate_.counts().bytes_to_client, 2u);
}

TEST_F(TcpGateTest, RefusesNewConnectionsAndKeepsTheOpenOne) {
  gate_.Refuse();

  const Fd second = Connect();
  EXPECT_EQ(Receive(second), "<reset>");
  EXPECT_EQ(gate_.counts().refused, 1u);
  Send(client_, "still");
  EXPECT_EQ(Receive(server_), "still");
}

TEST_F(TcpGateTest, StallsOneDirectionUntilMended) {
  gate_.Stall(kToServer);
  Send(client_, "wait");
  Send(server_, "go");

  EXPECT_EQ(Receive(client_), "go");
  EXPECT_EQ(Receive(server_, milliseconds(100)), "");
  gate_.Mend();
  EXPECT_EQ(Receive(server_), "wait");
}

TEST_F(TcpGateTest, DelaysAChunkByAtLeastTheTime) {
  gate_.Delay(kToClient, milliseconds(150));
  const auto start = std::chrono::steady_clock::now();
  Send(server_, "late");

  EXPECT_EQ(Receive(client_), "late");
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(150));
}

TEST_F(TcpGateTest, BreaksTheWireAndMendsIt) {
  gate_.Break();

  EXPECT_EQ(Receive(client_), "<reset>");
  EXPECT_EQ(gate_.counts().cut, 1u);
  EXPECT_EQ(Receive(Connect()), "<reset>");
  gate_.Mend();
  const Fd again = Connect();
  const Fd served = listener_.Accept();
  Send(again, "back");
  EXPECT_EQ(Receive(served), "back");
}

TEST_F(TcpGateTest, HalfClosesOneDirection) {
  gate_.HalfClose(kToServer);

  EXPECT_EQ(Receive(server_), "<end>");
  Send(server_, "one way");
  EXPECT_EQ(Receive(client_), "one way");
}

TEST_F(TcpGateTest, PassesAnOrderlyEndOn) {
  shutdown(client_.get(), SHUT_WR);

  EXPECT_EQ(Receive(server_), "<end>");
  Send(server_, "answer");
  EXPECT_EQ(Receive(client_), "answer");
}

TEST_F(TcpGateTest, SwallowsTheReplyToACommitThatCameInTwoPieces) {
  gate_.CutAfter("COMMIT", 1);
  Send(client_, "xCOM");
  EXPECT_EQ(Receive(server_), "xCOM");
  Send(client_, "MIT;");
  EXPECT_EQ(Receive(server_), "MIT;");

  Send(server_, "done");

  EXPECT_EQ(Receive(client_), "<reset>");
  EXPECT_EQ(gate_.counts().swallowed_replies, 1u);
  EXPECT_TRUE(WaitFor([&] { return gate_.open_connections() == 0; }, seconds(5)));
}

}  // namespace
}  // namespace minichat::test
