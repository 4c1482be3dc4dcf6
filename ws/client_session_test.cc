#include "ws/client_session.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "server/core/core_test_support.h"

namespace minichat::ws {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kNodeBytes = 1 << 20;

// Keeps what would be written.
class FakeConnection final : public Connection {
 public:
  void Send(Frame frame) override {
    level_.Remove(frame->size());
    texts.push_back(frame->substr(frame->find('{')));
  }
  void SendLatest(const std::string&, Frame frame) override { Send(std::move(frame)); }
  void Close(CloseReason reason) override { closed = reason; }
  OutboundLevel& level() override { return level_; }
  std::size_t io_index() const override { return 0; }

  std::vector<std::string> texts;
  std::optional<CloseReason> closed;

 private:
  const OutboundLimits limits_{};
  OutboundLevel level_{limits_};
};

// A session on a node whose time stands still until the test moves it.
class ClientSessionTest : public testing::Test {
 protected:
  ClientSessionTest() {
    options_.insecure_auth = true;
    auto& scheduler = cluster_.scheduler;
    context_ = std::make_shared<ClientContext>(ClientContext{
        options_, scheduler, cluster_.AddNode("n1"),
        std::make_shared<WsMetrics>(cluster_.registry, kNodeBytes), Outbox(scheduler, {}),
        Admission(options_, scheduler, nullptr), SessionExpiry(scheduler, milliseconds(1'000))});
    session_ = std::make_shared<ClientSession>(context_, connection_);
  }
  ~ClientSessionTest() override { session_->OnClosed(); }

  void Say(const std::string& frame) { session_->OnFrame(DecodeFrame(frame)); }
  int CountOf(const std::string& part) const {
    return static_cast<int>(
        std::count_if(connection_->texts.begin(), connection_->texts.end(),
                      [&](const auto& text) { return text.find(part) != std::string::npos; }));
  }

  core::FakeCluster cluster_;
  SessionOptions options_;
  std::shared_ptr<ClientContext> context_;
  std::shared_ptr<FakeConnection> connection_ = std::make_shared<FakeConnection>();
  std::shared_ptr<ClientSession> session_;
};

TEST_F(ClientSessionTest, OneSessionCannotTakeAllReadsOfTheNode) {
  Say(R"({"op":"hello","user":"ann"})");
  Say(R"({"op":"join","room":"general"})");
  cluster_.scheduler.Advance(milliseconds(50));
  ASSERT_EQ(CountOf(R"("op":"joined")"), 1);
  const int allowed = static_cast<int>(ClientSession::kMaxReads);

  for (int i = 0; i < allowed + 3; ++i) Say(R"({"op":"history","room":"general"})");
  EXPECT_EQ(CountOf(R"("code":"overloaded")"), 3);
  cluster_.scheduler.Advance(milliseconds(50));
  EXPECT_EQ(CountOf(R"("op":"history")"), allowed);
  Say(R"({"op":"history","room":"general"})");
  cluster_.scheduler.Advance(milliseconds(50));

  EXPECT_EQ(CountOf(R"("op":"history")"), allowed + 1);
  EXPECT_EQ(CountOf(R"("code":"overloaded")"), 3);
  EXPECT_FALSE(connection_->closed.has_value());
}

// A crowd that resumes at once fills half of the node's memory for it, and no more.
TEST_F(ClientSessionTest, WhatIsOwedWaitsWhileMuchWaitsForAllClients) {
  constexpr double kHalf = kNodeBytes / 2.0;
  EXPECT_TRUE(session_->CanTakePage());

  context_->metrics->outbound_bytes.Set(kHalf);
  EXPECT_FALSE(session_->CanTakePage());

  context_->metrics->outbound_bytes.Set(kHalf - 1);
  EXPECT_TRUE(session_->CanTakePage());
}

}  // namespace
}  // namespace minichat::ws
