#include "server/api/admin_routes.h"

#include <optional>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "server/base/asio_scheduler.h"
#include "server/core/core_metrics.h"
#include "storage/memory/memory_directory.h"
#include "storage/memory/memory_log.h"
#include "storage/memory/memory_room_store.h"
#include "storage/memory/memory_store.h"
#include "tests/support/no_relay.h"

namespace minichat::api {
namespace {

class NoEncoder final : public core::EventEncoder {
 public:
  std::string Encode(const core::PlacedMessage&) const override { return "{}"; }
};

core::NodeOptions NodeNamed(const char* name) {
  core::NodeOptions options;
  options.name = core::NodeName(name);
  return options;
}

class AdminRoutesTest : public testing::Test {
 protected:
  AdminRoutesTest() {
    options_.relay_mode = [] { return std::string("bulk"); };
  }
  ~AdminRoutesTest() override { io_.stop(); }

  void StartNode() {
    node_.Start();
    RunUntil([&] { return node_.ready(); });
  }

  // Runs the core's thread until the condition holds, for 5 s at most.
  template <class Condition>
  void RunUntil(Condition holds) {
    const TimePoint until = scheduler_.Now() + std::chrono::seconds(5);
    while (!holds() && scheduler_.Now() < until) {
      io_.restart();
      io_.run_one_for(std::chrono::seconds(1));
    }
  }

  HttpResponse Ask(const std::string& method, const std::string& path, const std::string& body = "",
                   const std::string& authorization = "") {
    if (!routes_) routes_ = MakeAdminRoutes(options_, scheduler_, node_, registry_);
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    if (!authorization.empty()) request.headers["authorization"] = authorization;
    std::optional<HttpResponse> answer;
    routes_->Handle(request, [&](HttpResponse response) { answer = std::move(response); });
    RunUntil([&] { return answer.has_value(); });
    return answer.value_or(HttpResponse{});
  }

  boost::asio::io_context io_{1};
  AsioScheduler scheduler_{io_};
  MetricsRegistry registry_;
  core::CoreMetrics metrics_{registry_};
  memory::MemoryDirectory directory_{scheduler_};
  memory::MemoryLog log_{scheduler_};
  memory::MemoryStore store_{scheduler_};
  memory::MemoryRoomStore room_store_{scheduler_};
  test::NoRelay relay_;
  NoEncoder encoder_;
  core::ChatNode node_{NodeNamed("n1"), core::NodePorts{scheduler_, log_, &log_, directory_, store_,
                                                        room_store_, relay_, encoder_, metrics_}};
  AdminOptions options_;
  std::unique_ptr<HttpRoutes> routes_;
};

TEST_F(AdminRoutesTest, ReadyNamesWhatIsLacking) {
  const HttpResponse before = Ask("GET", "/readyz");
  EXPECT_EQ(before.status, 503);
  EXPECT_EQ(before.body, "{\"ready\":false,\"lacking\":[\"name\"]}\n");
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);

  StartNode();

  const HttpResponse after = Ask("GET", "/readyz");
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.body, "{\"ready\":true}\n");
}

TEST_F(AdminRoutesTest, MetricsAreInPrometheusText) {
  const HttpResponse response = Ask("GET", "/metrics");

  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(response.body.find("\nminichat_sessions 0\n"), std::string::npos);
  EXPECT_NE(response.body.find("\nminichat_dependency_up{name=\"kafka\"} 1\n"), std::string::npos);
}

TEST_F(AdminRoutesTest, RelayModeIsSetAndCleared) {
  StartNode();

  EXPECT_EQ(Ask("GET", "/admin/v1/relay").body, "{\"mode\":\"bulk\",\"cluster_mode\":null}\n");
  EXPECT_EQ(Ask("PUT", "/admin/v1/relay", R"({"mode":"single"})").body,
            "{\"mode\":\"single\",\"version\":1}\n");
  EXPECT_EQ(relay_.setting().mode, "single");
  EXPECT_EQ(Ask("PUT", "/admin/v1/relay", R"({"mode":null})").body,
            "{\"mode\":null,\"version\":2}\n");
  EXPECT_EQ(relay_.setting().mode, "");
}

TEST_F(AdminRoutesTest, BadModesAreRefusedWithTheAllowedOnes) {
  struct Case {
    const char* body;
    const char* error;
  };
  const Case cases[] = {
      {R"({"mode":"bluk"})",
       R"({"error":"mode: \"bluk\" is unknown; must be one of \"bulk\", \"single\", or null"})"},
      {R"({"mode":7})", R"({"error":"mode: must be one of \"bulk\", \"single\", or null"})"},
      {R"({"mod":"bulk"})", R"({"error":"the body must be {\"mode\": …} and nothing else"})"},
      {"[]", R"({"error":"the body must be {\"mode\": …}"})"},
  };
  for (const Case& bad : cases) {
    const HttpResponse response = Ask("PUT", "/admin/v1/relay", bad.body);
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body, std::string(bad.error) + "\n");
  }
  EXPECT_EQ(Ask("PUT", "/admin/v1/relay", "{").status, 400);
}

TEST_F(AdminRoutesTest, StatusTellsTheNodeAndWhoLives) {
  StartNode();

  const HttpResponse response = Ask("GET", "/admin/v1/status");

  EXPECT_EQ(response.body.rfind(R"({"node":"n1","incarnation":")", 0), 0u) << response.body;
  EXPECT_NE(response.body.find(R"("ready":true,"lacking":[],"sessions":0,"relay_mode":"bulk",)"),
            std::string::npos)
      << response.body;
}

TEST_F(AdminRoutesTest, AdminPathsWantTheKeyWhenOneIsSet) {
  options_.key = "secret";

  EXPECT_EQ(Ask("GET", "/admin/v1/status").status, 401);
  EXPECT_EQ(Ask("GET", "/admin/v1/status", "", "Bearer wrong!").status, 401);
  EXPECT_EQ(Ask("PUT", "/admin/v1/relay", R"({"mode":"single"})").status, 401);
  EXPECT_EQ(Ask("GET", "/admin/v1/status", "", "Bearer secret").status, 200);
  EXPECT_EQ(Ask("GET", "/readyz").status, 503);
}

}  // namespace
}  // namespace minichat::api
