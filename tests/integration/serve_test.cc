#include <csignal>
#include <filesystem>
#include <fstream>
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
using std::chrono::seconds;
using testing::HasSubstr;

constexpr seconds kLimit{10};

class ServeTest : public testing::Test {
 protected:
  // A node in memory on free ports.
  NodeProcess& StartNode(NodeProcess::Flags flags = {}) {
    flags.insert({{"client.listen", "127.0.0.1:0"}, {"admin.listen", "127.0.0.1:0"}});
    node_ = std::make_unique<NodeProcess>("n1", dir_.path(), flags);
    node_->Start();
    return *node_;
  }
  // Runs the binary to its end; what it wrote is in output_.
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), MinichatBinary());
    const auto log = dir_.path() / ("run" + std::to_string(++runs_));
    const int code = RunToEnd(arguments, log);
    output_ = ReadTail(log);
    return code;
  }
  std::string WriteFile(const std::string& name, const std::string& text) {
    std::ofstream(dir_.path() / name) << text;
    return (dir_.path() / name).string();
  }
  std::string Get(const std::string& path) {
    const auto answer = CallHttp(node_->admin(), {.path = path});
    return answer.ok() ? answer->body : answer.status().ToString();
  }

  ScratchDir dir_{"minichat-serve"};
  loadtest::ClientLoop loop_;
  std::unique_ptr<NodeProcess> node_;
  std::string output_;
  int runs_ = 0;
};

TEST_F(ServeTest, ANodeInMemoryChats) {
  NodeProcess& node = StartNode();
  ASSERT_TRUE(WaitFor([&] { return node.Ready(); }, kLimit)) << node.LogTail();
  ChatSession ann(loop_, node.client(), "ann");
  ChatSession bob(loop_, node.client(), "bob");
  ASSERT_TRUE(loop_.RunUntil([&] { return ann.welcome() && bob.welcome(); }, kLimit));

  ann.Join("general");
  bob.Join("general");
  ASSERT_TRUE(loop_.RunUntil(
      [&] { return ann.room("general").joined && bob.room("general").joined; }, kLimit));
  const auto sent = ann.Send("general", "c-1", "hello");

  ASSERT_TRUE(loop_.RunUntil([&] { return ann.Find(sent) != nullptr; }, kLimit));
  EXPECT_TRUE(ann.Find(sent)->ok());
  ASSERT_TRUE(loop_.RunUntil([&] { return bob.room("general").deliveries.size() == 1; }, kLimit));
  EXPECT_EQ(bob.room("general").deliveries[0].text, "hello");
  EXPECT_THAT(node.LogTail(), HasSubstr("nothing survives a restart"));
}

TEST_F(ServeTest, ServicesMakeRoomsPublishAndReadOverHttp) {
  NodeProcess& node = StartNode(
      {{"rooms.open", "open*"}, {"api.keys_file", WriteFile("keys", "0123456789abcdef\n")}});
  ASSERT_TRUE(WaitFor([&] { return node.Ready(); }, kLimit)) << node.LogTail();
  const auto ask = [&](const std::string& method, const std::string& path,
                       const std::string& body = "") {
    const auto answer =
        CallHttp(node.client(),
                 {.method = method, .path = path, .body = body, .bearer = "0123456789abcdef"});
    return answer.ok() ? answer->body : answer.status().ToString();
  };
  EXPECT_EQ(ask("POST", "/api/v1/rooms", R"({"room":"team","members":["ann"]})"),
            "{\"room\":\"team\",\"created\":true}\n");
  ChatSession ann(loop_, node.client(), "ann");
  ASSERT_TRUE(loop_.RunUntil([&] { return ann.welcome(); }, kLimit));
  ann.Join("team");
  ASSERT_TRUE(loop_.RunUntil([&] { return ann.room("team").joined; }, kLimit));

  EXPECT_THAT(
      ask("POST", "/api/v1/rooms/team/messages", R"({"from":"robot","cid":"c-1","text":"news"})"),
      HasSubstr("\"seq\":1,"));

  ASSERT_TRUE(loop_.RunUntil([&] { return ann.room("team").deliveries.size() == 1; }, kLimit));
  EXPECT_EQ(ann.room("team").deliveries[0].text, "news");
  EXPECT_THAT(
      ask("GET", "/api/v1/rooms/team/messages"),
      testing::MatchesRegex("\\{\"messages\":\\[\\{\"op\":\"message\",\"room\":\"team\",\"seq\":1,"
                            ".*\"from\":\"robot\",.*\"text\":\"news\"\\}\\],"
                            "\"next\":null\\}\n"));
}

TEST_F(ServeTest, TermTellsClientsByeClosesThemAndExitsWithZero) {
  NodeProcess& node = StartNode();
  ASSERT_TRUE(WaitFor([&] { return node.Ready(); }, kLimit)) << node.LogTail();
  ChatSession ann(loop_, node.client(), "ann");
  ASSERT_TRUE(loop_.RunUntil([&] { return ann.welcome(); }, kLimit));

  node.Terminate();

  ASSERT_TRUE(loop_.RunUntil([&] { return ann.closed(); }, kLimit)) << node.LogTail();
  EXPECT_EQ(ann.close_info().code, 1012);
  EXPECT_EQ(ann.bye(), "draining");
  EXPECT_EQ(node.WaitForEnd(kLimit), 0) << node.LogTail();
}

TEST_F(ServeTest, HangUpReadsTheConfigurationAgain) {
  const std::string config = WriteFile("minichat.yaml", "relay.mode: bulk\n");
  NodeProcess& node = StartNode({{"config", config}});
  ASSERT_TRUE(WaitFor([&] { return node.Ready(); }, kLimit)) << node.LogTail();
  EXPECT_THAT(Get("/admin/v1/relay"), HasSubstr("bulk"));

  WriteFile("minichat.yaml", "relay.mode: single\nio.threads: 2\n");
  ::kill(node.pid(), SIGHUP);

  EXPECT_TRUE(
      WaitFor([&] { return Get("/admin/v1/relay").find("single") != std::string::npos; }, kLimit));
  EXPECT_THAT(node.LogTail(), HasSubstr("needs a restart"));
}

TEST_F(ServeTest, HangUpWithABadConfigurationChangesNothing) {
  const std::string config = WriteFile("minichat.yaml", "relay.mode: single\n");
  NodeProcess& node = StartNode({{"config", config}});

  WriteFile("minichat.yaml", "relay.mode: bluk\n");
  ::kill(node.pid(), SIGHUP);

  EXPECT_TRUE(
      WaitFor([&] { return node.LogTail().find("reload_failed") != std::string::npos; }, kLimit));
  EXPECT_THAT(Get("/admin/v1/relay"), HasSubstr("single"));
}

TEST_F(ServeTest, MissingServicesAreNamedAndTheNodeLivesOn) {
  NodeProcess& node = StartNode({{"log", "kafka://127.0.0.1:1"},
                                 {"directory", "redis://127.0.0.1:1"},
                                 {"store", "postgresql://minichat@127.0.0.1:1/minichat"}});

  EXPECT_FALSE(node.Ready());
  const std::string ready = Get("/readyz");
  for (const char* what : {"redis", "kafka", "postgres", "topic", "schema"}) {
    EXPECT_THAT(ready, HasSubstr(what));
  }
  EXPECT_THAT(Get("/healthz"), HasSubstr("true"));
  EXPECT_EQ(node.Stop(), 0) << node.LogTail();
}

TEST_F(ServeTest, BadValuesExitWithTwoAndNameWhatIsAllowed) {
  EXPECT_EQ(Run({"serve", "--relay.mode", "bluk"}), 2);
  EXPECT_THAT(output_,
              HasSubstr("--relay.mode: \"bluk\" is not allowed; allowed: bulk, single, stream"));

  EXPECT_EQ(Run({"serve", "--config", WriteFile("bad.yaml", "\nrelay:\n  mdoe: bulk\n")}), 2);
  EXPECT_THAT(output_, HasSubstr("bad.yaml:3: unknown key \"relay.mdoe\""));

  EXPECT_EQ(Run({"check-config", "--dedup.ttl", "soon"}), 2);
  EXPECT_EQ(Run({"check-config", "--dedup.ttl", "5m"}), 0);
}

TEST_F(ServeTest, AnAddressThatIsTakenEndsTheStartWithOneLine) {
  const NodeProcess& node = StartNode();

  const int code =
      Run({"serve", "--admin.listen", "127.0.0.1:0", "--client.listen", node.client().ToString()});

  EXPECT_EQ(code, 1);
  EXPECT_THAT(output_, HasSubstr(node.client().ToString()));
}

}  // namespace
}  // namespace minichat::test
