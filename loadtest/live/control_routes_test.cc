#include "loadtest/live/control_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Question {
  std::string method = "GET";
  std::string path = "/v1/state";
  std::map<std::string, std::string> query = {};
  std::map<std::string, std::string> headers = {};
  std::string body = {};
};

class ControlRoutesTest : public testing::Test {
 protected:
  HttpResponse Ask(const Question& question) {
    HttpRequest request;
    request.method = question.method;
    request.path = question.path;
    request.query = question.query;
    request.headers = question.headers;
    request.body = question.body;
    request.headers.insert({"host", "127.0.0.1:9201"});
    HttpResponse answer;
    routes_->Handle(std::move(request), [&answer](HttpResponse response) { answer = response; });
    return answer;
  }
  HttpResponse Put(const std::string& body) {
    return Ask({.method = "PUT", .path = "/v1/settings", .body = body});
  }
  HttpResponse AskFrom(const std::string& origin, const std::string& method) {
    return Ask({.method = method,
                .path = "/v1/settings",
                .headers = {{"origin", origin}},
                .body = R"({"rate":20})"});
  }

  LiveBoard board_{{.members = 30, .talkers = 3, .rate = 10, .running = true}, 100};
  std::unique_ptr<HttpRoutes> routes_ = MakeControlRoutes("label", board_);
};

TEST_F(ControlRoutesTest, ShowsSettingsCountsAndSeconds) {
  board_.SetFigures({.mode = "bulk",
                     .nodes = {{.name = "n1", .up = true, .cpu_share = 0.5}},
                     .tasks_per_message = 52});
  board_.AddSecond({.sent = 10, .p95_ms = 2.5}, {.sent = 10, .joined = 30}, {.p50_ms = 1.5});

  const HttpResponse answer = Ask({.method = "GET", .path = "/v1/state"});

  EXPECT_EQ(answer.status, 200);
  for (const char* part :
       {R"("settings":{"members":30,"talkers":3,"rate":1E1,"running":true})", R"("joined":30)",
        R"("mode":"bulk")", R"("tasks_per_message":5.2E1,"calls_per_message":null)",
        R"("name":"n1","up":true,"cpu_share":5E-1)", R"("p95":2.5E0)", R"("max_members":100)"}) {
    EXPECT_THAT(answer.body, HasSubstr(part));
  }
  const auto later = board_.View(0).seconds.back().at_ms;
  const HttpResponse rest =
      Ask({.method = "GET", .path = "/v1/state", .query = {{"since", std::to_string(later)}}});
  EXPECT_THAT(rest.body, HasSubstr(R"("seconds":[])"));
  EXPECT_EQ(Ask({.method = "GET", .path = "/v1/state", .query = {{"since", "x"}}}).status, 400);
}

TEST_F(ControlRoutesTest, ChangesSettingsAndRefusesBadOnesWithTheReason) {
  const HttpResponse changed = Put(R"({"rate":20,"running":false})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_THAT(changed.body, HasSubstr(R"("rate":2E1,"running":false)"));
  EXPECT_EQ(board_.settings().rate, 20);

  const HttpResponse refused = Put(R"({"rate":-1})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("rate: above 0"));
  EXPECT_EQ(board_.settings().rate, 20);
}

TEST_F(ControlRoutesTest, PagesOfLoopbackMaySteerAndAreToldSo) {
  for (const char* origin :
       {"http://127.0.0.1:9101", "http://localhost:3000", "http://localhost"}) {
    const HttpResponse preflight = AskFrom(origin, "OPTIONS");
    EXPECT_EQ(preflight.status, 204) << origin;
    EXPECT_EQ(preflight.headers.at("Access-Control-Allow-Origin"), origin);
    EXPECT_EQ(preflight.headers.at("Access-Control-Allow-Methods"), "GET, PUT");
    EXPECT_EQ(preflight.headers.at("Vary"), "Origin");
    const HttpResponse answer = AskFrom(origin, "PUT");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("Access-Control-Allow-Origin"), origin);
  }
  EXPECT_EQ(board_.settings().rate, 20);
}

TEST_F(ControlRoutesTest, OtherPagesMayNotEvenLook) {
  for (const char* origin :
       {"http://evil.example", "http://127.0.0.1.evil.example", "http://localhost.evil.example:80",
        "https://127.0.0.1:9101", "http://127.0.0.1:", "http://127.0.0.1:9101/", "null", "",
        "http://127.0.0.1:91x", "http://user@localhost:80"}) {
    for (const char* method : {"OPTIONS", "PUT", "GET"}) {
      const HttpResponse answer = AskFrom(origin, method);
      EXPECT_EQ(answer.status, 403) << origin;
      EXPECT_FALSE(answer.headers.contains("Access-Control-Allow-Origin")) << origin;
    }
  }
  EXPECT_EQ(board_.settings().rate, 10);
}

// A name that was made to point at loopback is no loopback address.
TEST_F(ControlRoutesTest, OtherHostsAreNotServed) {
  for (const char* host : {"evil.example", "evil.example:9201", "127.0.0.1.evil.example", ""}) {
    const HttpResponse answer =
        Ask({.method = "GET", .path = "/v1/state", .headers = {{"host", host}}});
    EXPECT_EQ(answer.status, 403) << host;
  }
}

TEST_F(ControlRoutesTest, ThereIsNothingElse) {
  EXPECT_EQ(Ask({.method = "GET", .path = "/"}).status, 404);
  EXPECT_EQ(Ask({.method = "POST", .path = "/v1/settings"}).status, 405);
  EXPECT_EQ(Ask({.method = "OPTIONS", .path = "/v1/settings"}).status, 405);
}

}  // namespace
}  // namespace minichat::loadtest
