// One node in memory, a real process, and clients that mean it ill.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loadtest/client/chat_session.h"
#include "loadtest/client/http.h"
#include "tests/support/node_process.h"

namespace minichat::test {
namespace {

using loadtest::CallHttp;
using loadtest::ChatSession;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr seconds kLimit{10};
constexpr char kKey[] = "0123456789abcdef";

class EdgeTest : public testing::Test {
 protected:
  ~EdgeTest() override { ::unsetenv("MINICHAT_BIN"); }

  NodeProcess& StartNode(NodeProcess::Flags flags = {}) {
    flags.insert({{"client.listen", "127.0.0.1:0"}, {"admin.listen", "127.0.0.1:0"}});
    node_ = std::make_unique<NodeProcess>("n1", dir_.path(), flags);
    node_->Start();
    EXPECT_TRUE(WaitFor([&] { return node_->Ready(); }, kLimit)) << node_->LogTail();
    return *node_;
  }
  // The nodes that follow may have so many file descriptors.
  void LimitDescriptors(int count) {
    const auto script = dir_.path() / "limited";
    std::ofstream(script) << "#!/bin/sh\nulimit -n " << count << "\nexec " << MinichatBinary()
                          << " \"$@\"\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    ::setenv("MINICHAT_BIN", script.c_str(), 1);
  }
  std::unique_ptr<ChatSession> Connect(const std::string& user) {
    auto session = std::make_unique<ChatSession>(loop_, node_->client(), user);
    EXPECT_TRUE(loop_.RunUntil([&] { return session->welcome() || session->closed(); }, kLimit));
    return session;
  }
  bool Answers(ChatSession& session) {
    const auto ping = session.Request({{"op", "ping"}});
    return loop_.RunUntil([&] { return session.Find(ping) != nullptr; }, kLimit);
  }
  // The code that refuses the request, or "".
  std::string CodeOf(ChatSession& session, boost::json::object body) {
    const auto rid = session.Request(std::move(body));
    if (!loop_.RunUntil([&] { return session.Find(rid) != nullptr; }, kLimit)) return "no answer";
    return session.Find(rid)->code;
  }
  std::string TextOf(ChatSession& session, boost::json::object body) {
    const auto rid = session.Request(std::move(body));
    if (!loop_.RunUntil([&] { return session.Find(rid) != nullptr; }, kLimit)) return "no answer";
    return session.Find(rid)->Text("message");
  }
  int StatusOf(const loadtest::HttpCall& call) {
    const auto answer = CallHttp(node_->client(), call);
    return answer.ok() ? answer->status : 0;
  }
  double Metric(const std::string& name) { return node_->Metrics().Sum(name); }
  bool IsHealthy() {
    const auto answer = CallHttp(node_->admin(), {.path = "/healthz"});
    return answer.ok() && answer->status == 200;
  }

  ScratchDir dir_{"minichat-edge"};
  loadtest::ClientLoop loop_;
  std::unique_ptr<NodeProcess> node_;
};

// Connections that say nothing.
class IdleClients {
 public:
  IdleClients(const loadtest::Endpoint& endpoint, int count) {
    for (int i = 0; i < count; ++i) {
      auto fd = loadtest::StartConnect(endpoint);
      if (fd.ok()) fds_.push_back(std::move(fd).value());
    }
  }

 private:
  std::vector<loadtest::Fd> fds_;
};

TEST_F(EdgeTest, ClientsLeaveDescriptorsForOperatorsAndOldSessionsGoOn) {
  LimitDescriptors(60);
  NodeProcess& node = StartNode();
  const auto ann = Connect("ann");
  ASSERT_TRUE(ann->welcome());
  {
    const IdleClients crowd(node.client(), 200);
    const auto refused = [&] {
      return node.Metrics().Sum("minichat_connections_refused_total", {{"reason", "descriptors"}});
    };
    EXPECT_TRUE(WaitFor([&] { return refused() > 100; }, kLimit)) << node.LogTail();

    for (int i = 0; i < 20; ++i) EXPECT_TRUE(IsHealthy()) << i;
    EXPECT_TRUE(node.Ready());
    EXPECT_TRUE(Answers(*ann));
    EXPECT_THAT(node.LogTail(), HasSubstr("connections_refused reason=descriptors"));
    EXPECT_EQ(Metric("minichat_accept_errors_total"), 0);
  }

  EXPECT_TRUE(WaitFor([&] { return Metric("minichat_connections") <= 2; }, kLimit));
  EXPECT_TRUE(Connect("bob")->welcome());
}

TEST_F(EdgeTest, TheConfiguredLimitsOfAddressesAndUsersHold) {
  NodeProcess& node = StartNode({{"limits.loopback", "true"},
                                 {"limits.address_connections", "3"},
                                 {"limits.user_sessions", "1"},
                                 {"limits.user_messages_per_s", "1"}});
  const auto ann = Connect("ann");
  const auto again = Connect("ann");
  EXPECT_EQ(again->close_info().code, 4003);
  // Hers, and the one that asks.
  ASSERT_TRUE(WaitFor([&] { return Metric("minichat_connections") == 2; }, kLimit));
  const auto bob = Connect("bob");
  const auto cid = Connect("cid");
  ASSERT_TRUE(bob->welcome() && cid->welcome());

  EXPECT_EQ(StatusOf({.path = "/healthz"}), 429);
  EXPECT_EQ(Connect("dan")->close_info().error.empty(), false);
  EXPECT_TRUE(IsHealthy());
  EXPECT_EQ(CodeOf(*ann, {{"op", "ping"}}), "");
  EXPECT_EQ(CodeOf(*ann, {{"op", "ping"}}), "");
  EXPECT_EQ(CodeOf(*ann, {{"op", "ping"}}), "rate_limited");
  EXPECT_EQ(CodeOf(*bob, {{"op", "ping"}}), "");
  EXPECT_EQ(node.Metrics().Sum("minichat_connections_refused_total", {{"reason", "address"}}), 2);
}

// B08, over plain TCP.
TEST_F(EdgeTest, ClientsThatIgnoreTheCloseFrameAreGoneInTime) {
  NodeProcess& node = StartNode({{"limits.user_sessions", "0"}});
  const double before = Metric("process_open_fds");
  std::vector<std::unique_ptr<ChatSession>> deaf;
  for (int i = 0; i < 200; ++i) {
    deaf.push_back(Connect("eve"));
    deaf.back()->connection().SetReading(false);
  }
  ASSERT_EQ(Metric("minichat_sessions"), 200);

  const auto kicked = loadtest::Clock::now();
  const auto answer =
      CallHttp(node.admin(), {.method = "DELETE", .path = "/admin/v1/users/eve/sessions"});

  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(WaitFor([&] { return Metric("process_open_fds") <= before; }, seconds(30)));
  EXPECT_LT(loadtest::Clock::now() - kicked, seconds(30));
  EXPECT_EQ(node.Metrics().Sum("minichat_closes_total", {{"reason", "kicked"}}), 200);
}

// B10.
TEST_F(EdgeTest, AHugeMessageIsRefusedAndCostsNoMemory) {
  NodeProcess& node = StartNode();
  const auto ann = Connect("ann");
  Connect("warm-up");
  const double before = Metric("process_resident_memory_bytes");
  const std::string payload(15 << 20, 'x');  // of a frame that says 20 MiB

  for (int i = 0; i < 3; ++i) {
    const auto eve = Connect("eve");
    eve->connection().SendRaw(std::string("\x81\xff\0\0\0\0\x01\x40\0\0abcd", 14));
    eve->connection().SendRaw(payload);
    ASSERT_TRUE(loop_.RunUntil([&] { return eve->closed(); }, kLimit));
    EXPECT_EQ(eve->close_info().code, 1009) << eve->close_info().error;
  }

  EXPECT_TRUE(Answers(*ann));
  EXPECT_LT(Metric("process_resident_memory_bytes"), before + (4 << 20));
  EXPECT_TRUE(node.running());
}

std::size_t SeriesOf(const loadtest::Endpoint& admin) {
  const auto answer = CallHttp(admin, {.path = "/metrics"});
  if (!answer.ok()) return 0;
  std::size_t count = 0;
  std::istringstream lines(answer->body);
  for (std::string line; std::getline(lines, line);) count += line.starts_with("#") ? 0 : 1;
  return count;
}

// M01.
TEST_F(EdgeTest, UsersAndRoomsThatComeAndGoLeaveNoSeriesBehind) {
  NodeProcess& node = StartNode({{"limits.handshakes_per_s", "0"}});
  ASSERT_TRUE(Connect("first")->welcome());
  const std::size_t before = SeriesOf(node.admin());

  constexpr std::size_t kUsers = 10'000;
  constexpr std::size_t kAtOnce = 200;
  for (std::size_t first = 0; first < kUsers; first += kAtOnce) {
    std::vector<std::unique_ptr<ChatSession>> users;
    std::vector<ChatSession::Rid> sent;
    for (std::size_t i = first; i < first + kAtOnce; ++i) {
      users.push_back(
          std::make_unique<ChatSession>(loop_, node.client(), "user-" + std::to_string(i)));
    }
    ASSERT_TRUE(loop_.RunUntil(
        [&] {
          return std::all_of(users.begin(), users.end(),
                             [](const auto& u) { return u->welcome(); });
        },
        kLimit));
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      const std::string room = "room-" + std::to_string((first + i) % 2'000);
      users[i]->Join(room);
      sent.push_back(users[i]->Send(room, "c-1", "hi"));
    }
    ASSERT_TRUE(loop_.RunUntil(
        [&] {
          for (std::size_t i = 0; i < kAtOnce; ++i) {
            if (users[i]->Find(sent[i]) == nullptr) return false;
          }
          return true;
        },
        kLimit));
  }

  EXPECT_TRUE(WaitFor([&] { return Metric("minichat_sessions") == 0; }, kLimit));
  EXPECT_EQ(SeriesOf(node.admin()), before);
  EXPECT_LE(before, 400u);
  EXPECT_EQ(Metric("minichat_rooms"), 0);
}

// C11.
TEST_F(EdgeTest, WhoIsNoMemberGetsNothingAndCannotTellThatThereIsARoom) {
  std::ofstream(dir_.path() / "keys") << kKey << "\n";
  StartNode({{"rooms.open", "open*"}, {"api.keys_file", (dir_.path() / "keys").string()}});
  const auto ask = [&](const std::string& method, const std::string& path,
                       const std::string& body = "") {
    return StatusOf({.method = method, .path = path, .body = body, .bearer = kKey});
  };
  ASSERT_EQ(ask("POST", "/api/v1/rooms", R"({"room":"team","members":["ann","bob"]})"), 201);
  const auto ann = Connect("ann");
  const auto bob = Connect("bob");
  const auto eve = Connect("eve");
  ASSERT_EQ(CodeOf(*ann, {{"op", "join"}, {"room", "team"}}), "");
  ASSERT_EQ(CodeOf(*bob, {{"op", "join"}, {"room", "team"}}), "");
  const auto send = [](const std::string& cid, const std::string& text) {
    return boost::json::object{{"op", "send"}, {"room", "team"}, {"cid", cid}, {"text", text}};
  };
  ASSERT_EQ(CodeOf(*ann, send("c-1", "secret")), "");

  const auto nothing_for = [&](ChatSession& session) {
    EXPECT_EQ(CodeOf(session, {{"op", "join"}, {"room", "team"}}), "forbidden");
    EXPECT_EQ(CodeOf(session, {{"op", "join"}, {"room", "team"}, {"since", 0}}), "forbidden");
    EXPECT_EQ(CodeOf(session, {{"op", "history"}, {"room", "team"}}), "not_member");
    EXPECT_EQ(CodeOf(session, send("c-9", "hi")), "not_member");
    for (const char* op : {"join", "history", "leave"}) {
      std::string there = TextOf(session, {{"op", op}, {"room", "team"}});
      const std::string missing = TextOf(session, {{"op", op}, {"room", "none"}});
      ASSERT_THAT(there, HasSubstr("team")) << op;
      there.replace(there.find("team"), 4, "none");
      EXPECT_EQ(there, missing) << op;
    }
  };
  nothing_for(*eve);
  ASSERT_EQ(ask("DELETE", "/api/v1/rooms/team/members/bob"), 200);
  ASSERT_TRUE(loop_.RunUntil(
      [&] {
        return CodeOf(*bob, {{"op", "history"}, {"room", "team"}}) == "not_member";
      },
      kLimit));
  nothing_for(*bob);
  ASSERT_EQ(CodeOf(*ann, send("c-2", "between us")), "");
  EXPECT_TRUE(Answers(*bob));

  for (const auto& delivery : bob->room("team").deliveries) EXPECT_EQ(delivery.text, "secret");
  EXPECT_TRUE(eve->room("team").deliveries.empty());
  const ChatSession::Resume resume{{"team", 0}, {"none", 0}};
  ChatSession again(loop_, node_->client(), "eve", resume);
  ASSERT_TRUE(loop_.RunUntil([&] { return again.welcome(); }, kLimit));
  EXPECT_EQ(again.welcome_body().at("resumed").at("team"),
            again.welcome_body().at("resumed").at("none"));
  for (const char* path : {"/api/v1/rooms/team/messages", "/api/v1/rooms/none/messages",
                           "/api/v1/rooms/team/members", "/api/v1/rooms/none/members"}) {
    EXPECT_EQ(StatusOf({.path = path}), 401) << path;
  }
}

// P01.
TEST_F(EdgeTest, NulIsRefusedOverHttpAndHistoryStaysReadable) {
  std::ofstream(dir_.path() / "keys") << kKey << "\n";
  StartNode({{"api.keys_file", (dir_.path() / "keys").string()}});
  const auto post = [&](const std::string& path, const std::string& body) {
    return StatusOf({.method = "POST", .path = path, .body = body, .bearer = kKey});
  };
  const std::string messages = "/api/v1/rooms/general/messages";

  for (const std::string& body : {
           std::string(R"({"from":"robot","cid":"c-1","text":"a\u0000b"})"),
           std::string(R"({"from":"robot","cid":"c-1","data":["a\u0000b"]})"),
           std::string(R"({"from":"a\u0000b","cid":"c-1","text":"x"})"),
           std::string(R"({"from":"robot","cid":"a\u0000b","text":"x"})"),
           R"({"from":"robot","cid":"c-1","text":"a)" + std::string(1, '\0') + R"(b"})",
       }) {
    EXPECT_EQ(post(messages, body), 400) << body;
  }
  EXPECT_EQ(post("/api/v1/rooms", R"({"room":"a\u0000b"})"), 400);
  EXPECT_EQ(post("/api/v1/rooms/a%00b/messages", R"({"from":"robot","cid":"c-1","text":"x"})"),
            400);
  EXPECT_EQ(StatusOf({.path = messages + "?after=%00", .bearer = kKey}), 400);
  EXPECT_EQ(post(messages, R"({"from":"robot","cid":"c-1","text":"x"})"), 200);
  EXPECT_EQ(StatusOf({.path = messages, .bearer = kKey}), 200);
}

}  // namespace
}  // namespace minichat::test
