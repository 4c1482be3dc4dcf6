#include "server/api/room_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/api_test_support.h"

namespace minichat::api {
namespace {

using testing::HasSubstr;

constexpr const char* kKey = "0123456789abcdef";
constexpr const char* kBearer = "Bearer 0123456789abcdef";

class RoomRoutesTest : public testing::Test {
 protected:
  RoomRoutesTest() {
    AddRoomRoutes({{"another-key-of-16", kKey}, core_.scheduler(), core_.node(), PlainJson},
                  &router_);
    core_.Start();
  }

  HttpResponse Ask(const std::string& method, const std::string& path, const std::string& body = "",
                   std::map<std::string, std::string> query = {}) {
    return core_.Ask(router_, {method, "/api/v1/rooms" + path, body, kBearer, std::move(query)});
  }
  HttpResponse Create(const std::string& room, const std::string& members = "[]") {
    return Ask("POST", "", R"({"room":")" + room + R"(","members":)" + members + "}");
  }

  MemoryCore core_{{"open*"}};
  Router router_;
};

TEST_F(RoomRoutesTest, WantsAKeyBeforeAnythingElse) {
  for (const char* authorization : {"", "Bearer", "Bearer ", "Bearer 0123456789abcdeF",
                                    "bearer0123456789abcdef", "Basic 0123456789abcdef"}) {
    const HttpResponse response =
        core_.Ask(router_, {"POST", "/api/v1/rooms", "nonsense", authorization});
    EXPECT_EQ(response.status, 401) << authorization;
    EXPECT_EQ(response.headers.at("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(response.body.find(kKey), std::string::npos);
  }
}

TEST_F(RoomRoutesTest, WithoutConfiguredKeysNobodyMay) {
  Router router;
  AddRoomRoutes({{}, core_.scheduler(), core_.node(), PlainJson}, &router);

  EXPECT_EQ(core_.Ask(router, {"POST", "/api/v1/rooms", "", "Bearer "}).status, 401);
}

TEST_F(RoomRoutesTest, CreatesARoomOnce) {
  const HttpResponse made = Create("team", R"(["ann","bob"])");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body, "{\"room\":\"team\",\"created\":true}\n");

  const HttpResponse again = Create("team");

  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, "{\"room\":\"team\",\"created\":false}\n");
  EXPECT_EQ(Ask("GET", "/team/members").body, "{\"members\":[\"ann\",\"bob\"],\"next\":null}\n");
}

TEST_F(RoomRoutesTest, MembersAreAddedRemovedAndListedInPages) {
  Create("team");
  for (const char* user : {"c", "a", "b"}) {
    EXPECT_EQ(Ask("PUT", std::string("/team/members/") + user).body, "{\"changed\":true}\n");
  }
  EXPECT_EQ(Ask("PUT", "/team/members/a").body, "{\"changed\":false}\n");

  EXPECT_EQ(Ask("GET", "/team/members", "", {{"limit", "2"}}).body,
            "{\"members\":[\"a\",\"b\"],\"next\":\"b\"}\n");
  EXPECT_EQ(Ask("GET", "/team/members", "", {{"after", "b"}, {"limit", "2"}}).body,
            "{\"members\":[\"c\"],\"next\":null}\n");
  EXPECT_EQ(Ask("DELETE", "/team/members/a").body, "{\"changed\":true}\n");
  EXPECT_EQ(Ask("DELETE", "/team/members/a").body, "{\"changed\":false}\n");
}

TEST_F(RoomRoutesTest, PublishesOncePerCidAndReadsHistory) {
  Create("team");
  const std::string body = R"({"from":"robot","cid":"c-1","text":"news"})";

  const HttpResponse first = Ask("POST", "/team/messages", body);
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.body, HasSubstr("\"seq\":1,"));
  EXPECT_THAT(first.body, HasSubstr("\"duplicate\":false"));
  EXPECT_THAT(Ask("POST", "/team/messages", body).body, HasSubstr("\"duplicate\":true"));
  const HttpResponse conflict =
      Ask("POST", "/team/messages", R"({"from":"robot","cid":"c-1","text":"other"})");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_THAT(conflict.body, HasSubstr("\"code\":\"cid_conflict\""));
  Ask("POST", "/team/messages", R"({"from":"robot","cid":"c-2","data":{"a": 1}})");

  EXPECT_EQ(Ask("GET", "/team/messages").body,
            "{\"messages\":[\"1 news\",\"2 {\"a\": 1}\"],\"next\":null}\n");
  EXPECT_EQ(Ask("GET", "/team/messages", "", {{"limit", "1"}}).body,
            "{\"messages\":[\"2 {\"a\": 1}\"],\"next\":2}\n");
  EXPECT_EQ(Ask("GET", "/team/messages", "", {{"after", "0"}, {"limit", "1"}}).body,
            "{\"messages\":[\"1 news\"],\"next\":1}\n");
}

TEST_F(RoomRoutesTest, OpenRoomsNeedNoCreationAndTakeNoMembers) {
  EXPECT_EQ(Ask("POST", "/open1/messages", R"({"from":"a","cid":"1","text":"x"})").status, 200);
  EXPECT_EQ(Create("open1").status, 400);
  EXPECT_EQ(Ask("PUT", "/open1/members/ann").status, 400);
}

TEST_F(RoomRoutesTest, MissingRoomsAreTold) {
  for (const auto& [method, path] :
       {std::pair{"PUT", "/none/members/ann"}, std::pair{"DELETE", "/none/members/ann"},
        std::pair{"GET", "/none/members"}, std::pair{"GET", "/none/messages"}}) {
    const HttpResponse response = Ask(method, path);
    EXPECT_EQ(response.status, 404) << method << path;
    EXPECT_THAT(response.body, HasSubstr("\"code\":\"no_such_room\"")) << path;
  }
}

TEST_F(RoomRoutesTest, BadBodiesNameFieldAndRule) {
  const auto error = [&](const std::string& path, const std::string& body) {
    const HttpResponse response = Ask("POST", path, body);
    EXPECT_EQ(response.status, 400) << body;
    return response.body;
  };
  EXPECT_THAT(error("", ""), HasSubstr("body: not valid JSON"));
  EXPECT_THAT(error("", "[]"), HasSubstr("body: must be a JSON object"));
  EXPECT_THAT(error("", "{}"), HasSubstr("room: is missing"));
  EXPECT_THAT(error("", R"({"room":"a b"})"), HasSubstr("room: must be 1 to 64 characters"));
  EXPECT_THAT(error("", R"({"room":"a","room":"b"})"), HasSubstr("\\\"room\\\" appears twice"));
  EXPECT_THAT(error("", R"({"room":"a","members":"ann"})"), HasSubstr("members: must be an array"));
  EXPECT_THAT(error("", R"({"room":"a","members":[1]})"), HasSubstr("members: each must be 1 to"));
  EXPECT_THAT(error("", R"({"room":"a","membres":[]})"), HasSubstr("membres: unknown name"));
  EXPECT_THAT(error("", std::string(100, '[')), HasSubstr("body: nested deeper than 32"));
  EXPECT_THAT(error("/open1/messages", R"({"cid":"1","text":"x"})"), HasSubstr("from: is missing"));
  EXPECT_THAT(error("/open1/messages", R"({"from":"a","cid":"1"})"),
              HasSubstr("text: is missing (or data)"));
  EXPECT_THAT(error("/open1/messages", R"({"from":"a","cid":"1","text":"\u0000"})"),
              HasSubstr("body: U+0000 is not allowed"));
  EXPECT_EQ(Ask("POST", "/open1/messages",
                R"({"from":"a","cid":"1","text":")" + std::string(5000, 'x') + "\"}")
                .status,
            413);
}

TEST_F(RoomRoutesTest, BadPathsAndQueriesNameWhatIsWrong) {
  EXPECT_THAT(Ask("GET", "/a b/members").body, HasSubstr("room: must be 1 to 64 characters"));
  EXPECT_THAT(Ask("PUT", "/team/members/" + std::string(65, 'x')).body, HasSubstr("user: must be"));
  EXPECT_EQ(Ask("GET", "//members").status, 400);
  EXPECT_EQ(Ask("GET", "/team/members/ann/more").status, 404);
  for (const char* limit : {"", "0", "201", "-1", "1x", "99999999999999999999"}) {
    EXPECT_THAT(Ask("GET", "/open1/messages", "", {{"limit", limit}}).body,
                HasSubstr("limit: must be a whole number from 1 to 200"))
        << limit;
  }
  EXPECT_THAT(Ask("GET", "/open1/messages", "", {{"after", "1"}, {"before", "2"}}).body,
              HasSubstr("before: can't stand beside after"));
  EXPECT_THAT(Ask("GET", "/open1/messages", "", {{"limti", "1"}}).body,
              HasSubstr("query: \\\"limti\\\" is unknown"));
}

}  // namespace
}  // namespace minichat::api
