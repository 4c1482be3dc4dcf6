#include "loadtest/client/connection.h"

#include <array>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tests/support/loopback_listener.h"

namespace minichat::loadtest {
namespace {

using std::chrono::seconds;

// Notes what a connection tells its user.
struct Notes : ConnectionHandler {
  void OnOpen() override { opened = true; }
  void OnText(std::string_view text) override { texts.emplace_back(text); }
  void OnClosed(const CloseInfo& info) override { closed = info; }

  bool opened = false;
  std::vector<std::string> texts;
  std::optional<CloseInfo> closed;
};

// A listener whose answers the test writes byte by byte.
class ConnectionTest : public testing::Test {
 protected:
  // Connects, and reads the upgrade request.
  void Connect() {
    connection_.emplace(loop_, endpoint_, notes_);
    peer_ = listener_->Accept(SOCK_NONBLOCK);
    ASSERT_TRUE(ReadUntil("\r\n\r\n"));
  }
  // Answers it as a WebSocket server does.
  void Upgrade() {
    const std::string name = "Sec-WebSocket-Key: ";
    const std::size_t at = request_.find(name) + name.size();
    const std::string key = request_.substr(at, request_.find('\r', at) - at);
    Write("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: " + AcceptFor(key) +
          "\r\n\r\n");
  }
  void Write(const std::string& bytes) {
    ASSERT_EQ(send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  bool ReadUntil(const std::string& text) {
    return loop_.RunUntil(
        [&] {
          std::array<char, 1024> bytes;
          const ssize_t got = recv(peer_.get(), bytes.data(), bytes.size(), 0);
          if (got > 0) request_.append(bytes.data(), static_cast<std::size_t>(got));
          return request_.find(text) != std::string::npos;
        },
        seconds(5));
  }
  bool Until(const std::function<bool()>& condition) {
    return loop_.RunUntil(condition, seconds(5));
  }

  ClientLoop loop_;
  Notes notes_;
  std::optional<test::LoopbackListener> listener_{std::in_place};
  const Endpoint endpoint_ = listener_->endpoint();
  Fd peer_;
  std::string request_;
  std::optional<Connection> connection_;
};

TEST_F(ConnectionTest, OpensAndReadsWhatCameWithTheUpgrade) {
  Connect();
  Upgrade();
  Write(std::string("\x81\x02hi", 4));

  ASSERT_TRUE(Until([&] { return !notes_.texts.empty(); }));
  EXPECT_TRUE(notes_.opened);
  EXPECT_EQ(notes_.texts[0], "hi");
}

TEST_F(ConnectionTest, AnswersAPing) {
  Connect();
  Upgrade();
  ASSERT_TRUE(Until([&] { return notes_.opened; }));
  request_.clear();

  Write(std::string("\x89\x01p", 3));

  EXPECT_TRUE(ReadUntil(std::string("\x8a\x81", 2)));  // a masked pong of one byte
}

TEST_F(ConnectionTest, TellsTheServersCloseCodeAndReason) {
  Connect();
  Upgrade();

  Write(std::string("\x88\x07\x03\xf4later", 9));

  ASSERT_TRUE(Until([&] { return notes_.closed.has_value(); }));
  EXPECT_EQ(notes_.closed->code, 1012);
  EXPECT_EQ(notes_.closed->reason, "later");
}

TEST_F(ConnectionTest, TellsARefusedUpgrade) {
  Connect();
  Write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");

  ASSERT_TRUE(Until([&] { return notes_.closed.has_value(); }));
  EXPECT_EQ(notes_.closed->error, "HTTP 403");
  EXPECT_FALSE(notes_.opened);
}

TEST_F(ConnectionTest, DoesNotTakeAWrongAccept) {
  Connect();
  Write("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: nonsense\r\n\r\n");

  ASSERT_TRUE(Until([&] { return notes_.closed.has_value(); }));
  EXPECT_EQ(notes_.closed->error, "wrong Sec-WebSocket-Accept");
}

TEST_F(ConnectionTest, TellsAnEndWithoutAClose) {
  Connect();
  Upgrade();
  ASSERT_TRUE(Until([&] { return notes_.opened; }));

  peer_.Reset();

  ASSERT_TRUE(Until([&] { return notes_.closed.has_value(); }));
  EXPECT_EQ(notes_.closed->code, 0);
  EXPECT_FALSE(notes_.closed->error.empty());
}

TEST_F(ConnectionTest, TellsAPortThatNobodyListensOn) {
  listener_.reset();
  connection_.emplace(loop_, endpoint_, notes_);

  ASSERT_TRUE(Until([&] { return notes_.closed.has_value(); }));
  EXPECT_NE(notes_.closed->error.find("refused"), std::string::npos);
}

}  // namespace
}  // namespace minichat::loadtest
