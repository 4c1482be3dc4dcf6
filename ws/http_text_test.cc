#include "ws/http_text.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

TEST(HttpTextTest, AResponseSaysItsLengthAndNoSoftware) {
  HttpResponse response;
  response.body = "{}";
  response.headers["Cache-Control"] = "no-store";

  EXPECT_EQ(EncodeResponse(response, {}),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
            "Content-Length: 2\r\n\r\n{}");
}

TEST(HttpTextTest, HeadGetsTheLengthButNoBody) {
  HttpResponse response;
  response.body = "{}";

  const std::string text = EncodeResponse(response, {.keep_alive = false, .head_only = true});

  EXPECT_EQ(text,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Connection: close\r\n\r\n");
}

TEST(HttpTextTest, RefusalsHaveACodeOfTheProtocol) {
  EXPECT_EQ(Refusal(400, "x").body, "{\"code\":\"bad_request\",\"error\":\"x\"}\n");
  EXPECT_EQ(Refusal(403, "x").body, "{\"code\":\"forbidden\",\"error\":\"x\"}\n");
  EXPECT_EQ(Refusal(431, "x").body, "{\"code\":\"too_large\",\"error\":\"x\"}\n");
  EXPECT_EQ(Refusal(429, "x", 7).body, "{\"code\":\"rate_limited\",\"error\":\"x\"}\n");
  EXPECT_EQ(Refusal(503, "x", 7).body, "{\"code\":\"overloaded\",\"error\":\"x\"}\n");
  EXPECT_EQ(Refusal(503, "x", 7).headers.at("Retry-After"), "7");
}

}  // namespace
}  // namespace minichat::ws
