// Live load on one node in memory, steered through its control port.
#include <csignal>
#include <fstream>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loadtest/client/http.h"
#include "tests/support/load_process.h"
#include "tests/support/lying_proxy.h"
#include "tests/support/node_process.h"
#include "tests/support/ws_test_client.h"

namespace minichat::test {
namespace {

namespace json = boost::json;
using loadtest::CallHttp;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr seconds kLimit{20};

class LiveLoadTest : public testing::Test {
 protected:
  void SetUp() override {
    node_ = std::make_unique<NodeProcess>(
        "n1", dir_.path(),
        NodeProcess::Flags{{"client.listen", "127.0.0.1:0"}, {"admin.listen", "127.0.0.1:0"}});
    node_->Start();
    ASSERT_TRUE(WaitFor([&] { return node_->Ready(); }, kLimit)) << node_->LogTail();
  }
  // With `client` as the node's address.
  void StartLoad(const loadtest::Endpoint& client) {
    const auto file = dir_.path() / "cluster.json";
    const json::object node{{"name", "n1"},
                            {"client", client.ToString()},
                            {"admin", node_->admin().ToString()},
                            {"relay", "127.0.0.1:1"}};
    std::ofstream(file) << json::serialize(json::object{{"nodes", json::array{node}}});
    const auto ports = dir_.path() / "ports";
    log_ = dir_.path() / "live";
    load_ = std::make_unique<ScratchProcess>(
        std::vector<std::string>{LoadBinary(), "--cluster", file, "--control", "127.0.0.1:0",
                                 "--ports-file", ports, "--members", "6", "--talkers", "2",
                                 "--rate", "20"},
        log_);
    ASSERT_TRUE(WaitFor([&] { return std::filesystem::exists(ports); }, kLimit)) << ReadTail(log_);
    const json::value bound = json::parse(ReadTail(ports));
    control_.port = bound.at("control").to_number<std::uint16_t>();
  }
  json::value State() {
    const auto answer = CallHttp(control_, {.path = "/v1/state"});
    return answer.ok() ? json::parse(answer->body) : json::value();
  }
  int Put(const std::string& body) {
    const auto answer = CallHttp(control_, {.method = "PUT", .path = "/v1/settings", .body = body});
    return answer.ok() ? answer->status : 0;
  }
  // Of the newest second.
  bool LastSecond(const std::function<bool(const json::value&)>& holds) {
    const json::value state = State();
    const auto& all = state.at("seconds").as_array();
    return !all.empty() && holds(all.back());
  }
  std::int64_t Count(const char* name) {
    return State().at("counts").at(name).to_number<std::int64_t>();
  }
  int StopLoad() {
    load_->Signal(SIGTERM);
    return load_->Wait();
  }

  ScratchDir dir_{"minichat-live"};
  std::unique_ptr<NodeProcess> node_;
  std::filesystem::path log_;
  std::unique_ptr<ScratchProcess> load_;
  loadtest::Endpoint control_{"127.0.0.1", 0};
};

TEST_F(LiveLoadTest, MembersAndRateFollowTheControlPortAndNothingIsLostMeanwhile) {
  StartLoad(node_->client());
  const auto joined = [&](int count) { return State().at("joined").to_number<int>() == count; };
  ASSERT_TRUE(WaitFor([&] { return joined(6); }, kLimit));

  ASSERT_EQ(Put(R"({"members":40,"rate":60})"), 200);
  EXPECT_TRUE(WaitFor([&] { return joined(40); }, kLimit));
  EXPECT_TRUE(WaitFor(
      [&] {
        return LastSecond([](const json::value& second) {
          return second.at("sent").to_number<int>() >= 55 &&
                 second.at("received").to_number<int>() >= 55 * 40 &&
                 second.at("p50").to_number<double>() > 0;
        });
      },
      kLimit));
  ASSERT_EQ(Put(R"({"members":3})"), 200);
  EXPECT_TRUE(WaitFor([&] { return joined(3); }, kLimit));
  ASSERT_EQ(Put(R"({"running":false})"), 200);
  EXPECT_TRUE(WaitFor(
      [&] {
        return LastSecond([](const json::value& s) { return s.at("sent").to_number<int>() == 0; });
      },
      kLimit));

  for (const char* wrong : {"lost", "repeated", "misordered", "broken_connections", "behind"}) {
    EXPECT_EQ(Count(wrong), 0) << wrong;
  }
  EXPECT_EQ(Put(R"({"members":0})"), 400);
  EXPECT_EQ(StopLoad(), 0) << ReadTail(log_);
}

TEST_F(LiveLoadTest, ShowsTheNodesFiguresAndSwitchesTheirMode) {
  StartLoad(node_->client());
  const auto in_mode = [&](const std::string& mode) {
    return LastSecond([&](const json::value& second) {
      return second.at("mode").as_string() == mode && second.at("nodes").at(0).at("up").as_bool() &&
             second.at("nodes").at(0).at("sessions").to_number<int>() == 6 &&
             second.at("nodes").at(0).at("cpu_share").to_number<double>() > 0 &&
             second.at("calls_per_message").is_number();
    });
  };
  EXPECT_TRUE(WaitFor([&] { return in_mode("bulk"); }, kLimit));

  ASSERT_EQ(Put(R"({"mode":"single"})"), 200);

  EXPECT_TRUE(WaitFor([&] { return in_mode("single"); }, kLimit));
  EXPECT_EQ(State().at("mode_error").as_string(), "");
  EXPECT_EQ(StopLoad(), 0);
}

TEST_F(LiveLoadTest, MembersComeBackWhenTheirNodeDoes) {
  StartLoad(node_->client());
  ASSERT_TRUE(WaitFor([&] { return State().at("joined").to_number<int>() == 6; }, kLimit));

  node_->Stop();
  EXPECT_TRUE(WaitFor([&] { return State().at("joined").to_number<int>() == 0; }, kLimit));
  EXPECT_TRUE(WaitFor(
      [&] {
        return LastSecond(
            [](const json::value& s) { return !s.at("nodes").at(0).at("up").as_bool(); });
      },
      kLimit));
  node_->Start(
      {{"client.listen", node_->client().ToString()}, {"admin.listen", node_->admin().ToString()}});

  EXPECT_TRUE(WaitFor([&] { return State().at("joined").to_number<int>() == 6; }, kLimit));
  EXPECT_EQ(Count("broken_connections"), 6);
  EXPECT_EQ(StopLoad(), 0) << ReadTail(log_);
}

TEST_F(LiveLoadTest, PlantedLossAndRepeatAreToldAndFailTheRun) {
  for (const auto& [lie, kind] : {std::pair{Lie::kDrop, "lost"}, {Lie::kRepeat, "repeated"}}) {
    const char* const name = kind;
    LyingProxy proxy(node_->client(), lie, 50);
    StartLoad(proxy.address());

    EXPECT_TRUE(WaitFor([&] { return Count(name) == 1; }, kLimit)) << name;

    EXPECT_EQ(proxy.lies(), 1);
    EXPECT_EQ(StopLoad(), 1);
    EXPECT_THAT(ReadTail(log_), HasSubstr(std::string("minichat-load: 1 ") + name));
    std::filesystem::remove(dir_.path() / "ports");
  }
}

TEST_F(LiveLoadTest, OtherSitesPagesAreTurnedAway) {
  StartLoad(node_->client());
  const auto ask = [&](const std::string& headers) {
    return HttpExchange(control_.port,
                        "GET /v1/state HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n");
  };
  EXPECT_THAT(ask("Host: 127.0.0.1"), HasSubstr(" 200 "));
  EXPECT_THAT(ask("Host: evil.example"), HasSubstr(" 403 "));
  EXPECT_THAT(ask("Host: 127.0.0.1\r\nOrigin: http://evil.example"), HasSubstr(" 403 "));
  EXPECT_THAT(ask("Host: 127.0.0.1\r\nOrigin: http://127.0.0.1:9101"),
              HasSubstr("Access-Control-Allow-Origin: http://127.0.0.1:9101"));
}

}  // namespace
}  // namespace minichat::test
