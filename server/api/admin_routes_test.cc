#include "server/api/admin_routes.h"

#include <gtest/gtest.h>

#include "server/api/api_test_support.h"
#include "web/page.h"

namespace minichat::api {
namespace {

class AdminRoutesTest : public testing::Test {
 protected:
  AdminRoutesTest() {
    options_.relay_mode = [] { return std::string("bulk"); };
  }

  void StartNode() { core_.Start(); }
  HttpResponse Ask(const std::string& method, const std::string& path, const std::string& body = "",
                   const std::string& authorization = "") {
    if (!routes_) {
      routes_ = MakeAdminRoutes(options_, core_.scheduler(), core_.node(), core_.registry());
    }
    return core_.Ask(*routes_, {method, path, body, authorization});
  }

  MemoryCore core_;
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
  EXPECT_EQ(core_.relay().setting().mode, "single");
  EXPECT_EQ(Ask("PUT", "/admin/v1/relay", R"({"mode":null})").body,
            "{\"mode\":null,\"version\":2}\n");
  EXPECT_EQ(core_.relay().setting().mode, "");
}

TEST_F(AdminRoutesTest, BadModesAreRefusedWithTheAllowedOnes) {
  struct Case {
    const char* body;
    const char* error;
  };
  const Case cases[] = {
      {R"({"mode":"bluk"})",
       R"({"error":"mode: \"bluk\" is not possible here; must be one of \"bulk\", \"single\", \"stream\", or null"})"},
      {R"({"mode":7})",
       R"({"error":"mode: must be one of \"bulk\", \"single\", \"stream\", or null"})"},
      {R"({"mod":"bulk"})", R"({"error":"body: must be {\"mode\": …} and nothing else"})"},
      {"[]", R"({"error":"body: must be a JSON object"})"},
      {R"({"mode":"bulk","mode":"single"})", R"({"error":"body: \"mode\" appears twice"})"},
  };
  for (const Case& bad : cases) {
    const HttpResponse response = Ask("PUT", "/admin/v1/relay", bad.body);
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body, std::string(bad.error) + "\n");
  }
  EXPECT_EQ(Ask("PUT", "/admin/v1/relay", "{").status, 400);
}

// A page that is open on an operator's machine can send these; a plain POST even without asking
// first.
TEST_F(AdminRoutesTest, WebPagesMayChangeNothing) {
  StartNode();
  Ask("GET", "/admin/v1/status");  // makes the routes
  const auto ask = [&](const std::string& method, const std::string& path) {
    return core_.Ask(*routes_, {.method = method, .path = path, .origin = "http://page.example"});
  };

  EXPECT_EQ(ask("POST", "/admin/v1/users/ann/revoke").status, 403);
  EXPECT_EQ(ask("DELETE", "/admin/v1/users/ann/sessions").status, 403);
  EXPECT_EQ(ask("DELETE", "/admin/v1/sessions/s1").status, 403);
  EXPECT_EQ(ask("PUT", "/admin/v1/relay").status, 403);
  EXPECT_EQ(ask("GET", "/admin/v1/status").status, 200);
}

// Whoever opens it can do nothing here with it, so it wants no key.
TEST_F(AdminRoutesTest, TheLabPageIsServedToAnyoneAndMayTalkToLoopbackAlone) {
  options_.key = "0123456789abcdef";
  options_.lab_page = web::LabFiles();
  for (const StaticFile& file : web::LabFiles()) {
    const HttpResponse answer = Ask("GET", file.path);

    EXPECT_EQ(answer.status, 200) << file.path;
    EXPECT_EQ(answer.body, file.body) << file.path;
    const std::string& policy = answer.headers.at("Content-Security-Policy");
    EXPECT_NE(policy.find("connect-src http://127.0.0.1:* http://localhost:*;"), std::string::npos);
    EXPECT_EQ(policy.rfind("default-src 'none'; ", 0), 0u);
    EXPECT_EQ(file.body.find("innerHTML"), std::string_view::npos) << file.path;
  }
  EXPECT_EQ(Ask("GET", "/admin/v1/status").status, 401);
}

TEST_F(AdminRoutesTest, SessionsAreAskedForByNothingButAUser) {
  StartNode();
  const auto ask = [&](const std::string& name, const std::string& value) {
    return core_.Ask(*routes_,
                     {.method = "GET", .path = "/admin/v1/sessions", .query = {{name, value}}});
  };
  Ask("GET", "/admin/v1/status");  // makes the routes

  EXPECT_EQ(ask("user", "ann").status, 200);
  EXPECT_EQ(ask("user", "a b").status, 400);
  EXPECT_EQ(ask("usr", "ann").status, 400);
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
  EXPECT_EQ(Ask("GET", "/admin/v1/status", "", "bearer secret").status, 200);
  EXPECT_EQ(Ask("GET", "/admin/v1/status", "", "BEARER  secret").status, 200);
  EXPECT_EQ(Ask("GET", "/admin/v1/status", "", "Bearer secret ").status, 401);
  EXPECT_EQ(Ask("GET", "/admin/v1/status", "", "Basic secret").status, 401);
  EXPECT_EQ(Ask("GET", "/readyz").status, 503);
}

TEST_F(AdminRoutesTest, SessionsAreListedKickedAndRevoked) {
  StartNode();

  EXPECT_EQ(Ask("GET", "/admin/v1/sessions").body, "{\"node\":\"n1\",\"sessions\":[]}\n");
  EXPECT_EQ(Ask("DELETE", "/admin/v1/sessions/n1.1").body, "{\"told\":true}\n");
  EXPECT_EQ(Ask("DELETE", "/admin/v1/users/ann/sessions").status, 200);
  EXPECT_EQ(Ask("POST", "/admin/v1/users/ann/revoke").status, 200);
  EXPECT_EQ(Ask("POST", "/admin/v1/users/a b/revoke").status, 400);
}

}  // namespace
}  // namespace minichat::api
