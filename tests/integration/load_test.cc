// The load generator against one node in memory, with and without a proxy that lies.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/load_process.h"
#include "tests/support/lying_proxy.h"
#include "tests/support/node_process.h"

namespace minichat::test {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr seconds kLimit{10};

class LoadTest : public testing::Test {
 protected:
  // A node in memory on free ports.
  void StartNode(NodeProcess::Flags flags = {}) {
    flags.insert({{"client.listen", "127.0.0.1:0"}, {"admin.listen", "127.0.0.1:0"}});
    node_ = std::make_unique<NodeProcess>("n1", dir_.path(), flags);
    node_->Start();
    ASSERT_TRUE(WaitFor([&] { return node_->Ready(); }, kLimit)) << node_->LogTail();
  }
  std::vector<std::string> GentleLoad(const loadtest::Endpoint& endpoint) {
    return {"--node", endpoint.ToString(), "--members", "6",          "--talkers", "2", "--rate",
            "40",     "--drain",           "500ms",     "--duration", "1s"};
  }
  // With one lie on the way; how the run ended.
  int RunThroughProxy(Lie lie, std::vector<std::string> more = {}) {
    LyingProxy proxy(node_->client(), lie, 100);
    auto arguments = GentleLoad(proxy.address());
    arguments.insert(arguments.end(), more.begin(), more.end());
    LoadProcess load(dir_, arguments);
    const int code = load.Wait();
    EXPECT_EQ(proxy.lies(), lie == Lie::kNone ? 0 : 1);
    report_ = load.Report();
    output_ = load.Output();
    return code;
  }
  std::int64_t Count(const char* name) const {
    return report_.at("counts").at(name).to_number<std::int64_t>();
  }
  std::string Findings() const { return std::string(report_.at("findings").as_string()); }

  ScratchDir dir_{"minichat-load"};
  std::unique_ptr<NodeProcess> node_;
  boost::json::value report_;
  std::string output_;
};

TEST_F(LoadTest, AnHonestRunIsExactAndItsFiguresFitTogether) {
  StartNode();
  const auto ids = dir_.path() / "ids";

  ASSERT_EQ(RunThroughProxy(Lie::kNone, {"--ids-file", ids.string(), "--rooms", "2"}), 0)
      << output_;

  EXPECT_EQ(Findings(), "");
  EXPECT_EQ(Count("sent"), 40);
  EXPECT_EQ(Count("acked"), 40);
  EXPECT_EQ(Count("expected"), 240);
  EXPECT_EQ(Count("received"), 240);
  EXPECT_EQ(report_.at("latency_ms").at("delivery").at("count").to_number<int>(), 240);
  EXPECT_EQ(report_.at("relay_calls").at("single").to_number<int>(), 0);
  EXPECT_EQ(report_.at("generator").at("connections").to_number<int>(), 12);
  EXPECT_GT(report_.at("generator").at("cpu_seconds").to_number<double>(), 0);
  int received = 0;
  for (const auto& second : report_.at("series").as_array()) {
    received += second.at("received").to_number<int>();
  }
  EXPECT_EQ(received, 240);
  std::set<std::string> unique;
  std::ifstream file(ids);
  for (std::string id; std::getline(file, id);) {
    EXPECT_EQ(id.size(), 36U) << id;
    unique.insert(id);
  }
  EXPECT_EQ(unique.size(), 40U);
  EXPECT_THAT(output_, HasSubstr("1 s "));
  EXPECT_THAT(output_, HasSubstr("all right"));
}

TEST_F(LoadTest, APlantedLossIsFound) {
  StartNode();

  EXPECT_EQ(RunThroughProxy(Lie::kDrop), 1);

  EXPECT_EQ(Findings(), "1 lost");
  EXPECT_EQ(Count("received"), Count("expected") - 1);
  EXPECT_THAT(output_, HasSubstr("minichat-load: 1 lost"));
}

TEST_F(LoadTest, APlantedRepeatIsFound) {
  StartNode();

  EXPECT_EQ(RunThroughProxy(Lie::kRepeat), 1);

  EXPECT_EQ(Findings(), "1 repeated");
}

TEST_F(LoadTest, APlantedDisorderIsFoundUnlessAllowed) {
  StartNode();

  EXPECT_EQ(RunThroughProxy(Lie::kMisplace), 1);
  EXPECT_EQ(Findings(), "1 misordered");

  EXPECT_EQ(RunThroughProxy(Lie::kMisplace, {"--allow-misordered"}), 0) << output_;
  EXPECT_EQ(Count("misordered"), 1);
}

TEST_F(LoadTest, RefusedSendsAreNamedByTheirCode) {
  StartNode({{"limits.messages_per_s", "5"}});

  LoadProcess load(dir_, GentleLoad(node_->client()));

  EXPECT_EQ(load.Wait(), 1);
  const auto report = load.Report();
  EXPECT_GT(report.at("counts").at("errors").at("rate_limited").to_number<int>(), 0);
  EXPECT_THAT(std::string(report.at("findings").as_string()), HasSubstr("rate_limited"));
}

TEST_F(LoadTest, ANodeThatEndsUnderLoadIsAFinding) {
  StartNode();
  auto arguments = GentleLoad(node_->client());
  arguments.back() = "1h";
  LoadProcess load(dir_, arguments);
  ASSERT_TRUE(
      WaitFor([&] { return load.Output().find("1 s sending") != std::string::npos; }, kLimit));

  node_->Kill();

  EXPECT_EQ(load.Wait(), 1);
  EXPECT_THAT(std::string(load.Report().at("findings").as_string()),
              HasSubstr("6 connections ended early"));
}

TEST_F(LoadTest, AnInterruptEndsTheSendingAndReportsAllTheSame) {
  StartNode();
  auto arguments = GentleLoad(node_->client());
  arguments.back() = "1h";
  LoadProcess load(dir_, arguments);
  ASSERT_TRUE(
      WaitFor([&] { return load.Output().find("1 s sending") != std::string::npos; }, kLimit));

  load.Signal(SIGINT);

  EXPECT_EQ(load.Wait(), 0) << load.Output();
  const auto report = load.Report();
  EXPECT_TRUE(report.at("stopped").as_bool());
  EXPECT_TRUE(report.at("ok").as_bool());
  EXPECT_GT(report.at("counts").at("sent").to_number<int>(), 0);
}

TEST_F(LoadTest, ExitCodesTellBadUsageFromNoConnection) {
  EXPECT_EQ(LoadProcess(dir_, {"--rate", "fast"}).Wait(), 2);
  EXPECT_EQ(LoadProcess(dir_, {"--cluster", (dir_.path() / "none").string()}).Wait(), 2);
  const loadtest::Endpoint nobody{"127.0.0.1", FreePort()};
  LoadProcess load(dir_, GentleLoad(nobody));
  EXPECT_EQ(load.Wait(), 3);
  EXPECT_THAT(load.Output(), HasSubstr("0 of 6 members joined"));
}

TEST_F(LoadTest, TooFewOpenFilesAreToldBeforeTheRun) {
  const std::string command = "ulimit -n 100 && exec \"$0\" --node 127.0.0.1:9 --members 90";
  const auto log = dir_.path() / "few";

  EXPECT_EQ(RunToEnd({"/bin/sh", "-c", command, LoadBinary()}, log), 3);

  EXPECT_THAT(ReadTail(log), HasSubstr("90 connections need 122, and the hard limit is 100"));
}

}  // namespace
}  // namespace minichat::test
