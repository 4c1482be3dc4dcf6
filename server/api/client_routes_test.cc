#include "server/api/client_routes.h"

#include <gtest/gtest.h>

#include "server/api/api_test_support.h"
#include "web/page.h"

namespace minichat::api {
namespace {

std::unique_ptr<HttpRoutes> Routes(MemoryCore& core) {
  return MakeClientRoutes(web::PageFiles(), {{}, core.scheduler(), core.node(), PlainJson});
}

HttpResponse Ask(HttpRoutes& routes, const std::string& method, const std::string& path) {
  HttpResponse answer;
  HttpRequest request;
  request.method = method;
  request.path = path;
  routes.Handle(request, [&](HttpResponse response) { answer = std::move(response); });
  return answer;
}

TEST(ClientRoutesTest, ServesThePageThatIsBuiltIn) {
  MemoryCore core;
  const auto routes = Routes(core);

  const HttpResponse page = Ask(*routes, "GET", "/");

  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_NE(page.body.find("<title>minichat</title>"), std::string::npos);
  EXPECT_NE(page.body.find("</html>\n"), std::string::npos);
  EXPECT_EQ(Ask(*routes, "GET", "/app.js").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(Ask(*routes, "GET", "/style.css").content_type, "text/css; charset=utf-8");
}

TEST(ClientRoutesTest, ThePageMayLoadNothingFromElsewhere) {
  MemoryCore core;
  const auto routes = Routes(core);

  const HttpResponse page = Ask(*routes, "GET", "/");

  EXPECT_EQ(page.headers.at("Content-Security-Policy").rfind("default-src 'none'; ", 0), 0u);
  EXPECT_EQ(page.headers.at("X-Content-Type-Options"), "nosniff");
  for (const StaticFile& file : web::PageFiles()) {
    EXPECT_EQ(file.body.find("http://"), std::string_view::npos) << file.path;
    EXPECT_EQ(file.body.find("https://"), std::string_view::npos) << file.path;
    EXPECT_EQ(file.body.find("innerHTML"), std::string_view::npos) << file.path;
  }
}

TEST(RouterTest, HeadIsAnsweredAsGetIs) {
  MemoryCore core;
  const auto routes = Routes(core);

  EXPECT_EQ(Ask(*routes, "HEAD", "/healthz").status, 200);
  EXPECT_EQ(Ask(*routes, "HEAD", "/nothing").status, 404);
  EXPECT_EQ(Ask(*routes, "HEAD", "/api/v1/rooms").status, 405);
}

TEST(RouterTest, AnswersWhatIsNotInItsTable) {
  MemoryCore core;
  const auto routes = Routes(core);

  const HttpResponse missing = Ask(*routes, "GET", "/nothing");
  const HttpResponse wrong = Ask(*routes, "DELETE", "/healthz");

  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, "{\"error\":\"there is nothing at this path\"}\n");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.at("Allow"), "GET, HEAD");
  EXPECT_EQ(wrong.body, "{\"error\":\"this path takes GET, HEAD\"}\n");
}

}  // namespace
}  // namespace minichat::api
