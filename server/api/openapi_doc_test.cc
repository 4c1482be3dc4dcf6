// docs/openapi.yaml says what the code does: the same routes, names, codes and limits, in both
// directions. What answers look like is checked on live ones (tests/web).
#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "server/api/admin_routes.h"
#include "server/api/api_test_support.h"
#include "server/api/client_routes.h"
#include "server/base/utf8.h"
#include "server/core/moderation.h"
#include "web/page.h"

namespace minichat::api {
namespace {

using Names = std::set<std::string>;

// The servers of the document, by the ports that are the options' defaults.
constexpr const char* kClientPort = ":8080";
constexpr const char* kAdminPort = ":9180";

const YAML::Node& Document() {
  static const YAML::Node kDocument = YAML::LoadFile("docs/openapi.yaml");
  return kDocument;
}
YAML::Node Schema(const std::string& name) {
  return Document()["components"]["schemas"][name];
}
YAML::Node Parameter(const std::string& path, const std::string& name) {
  for (const auto& parameter : Document()["paths"][path]["get"]["parameters"]) {
    if (parameter["name"].as<std::string>() == name) return parameter["schema"];
  }
  return {};
}

bool IsServedOn(const YAML::Node& path, const std::string& port) {
  const YAML::Node servers = path["servers"] ? path["servers"] : Document()["servers"];
  return std::any_of(servers.begin(), servers.end(), [&](const YAML::Node& server) {
    const auto url = server["url"].as<std::string>();
    return url.size() >= port.size() && url.substr(url.size() - port.size()) == port;
  });
}

// "GET /healthz" and so on, of one of the ports.
Names DocumentedRoutes(const std::string& port) {
  Names routes;
  for (const auto& path : Document()["paths"]) {
    if (!IsServedOn(path.second, port)) continue;
    for (const char* method : {"get", "put", "post", "delete"}) {
      if (!path.second[method]) continue;
      std::string text = method;
      std::transform(text.begin(), text.end(), text.begin(),
                     [](char c) { return static_cast<char>(c - 'a' + 'A'); });
      routes.insert(text + " " + path.first.as<std::string>());
    }
  }
  return routes;
}

TEST(OpenApiDocTest, HasTheRoutesOfTheClientPort) {
  MemoryCore core;
  const auto routes =
      MakeClientRoutes(web::PageFiles(), {{}, core.scheduler(), core.node(), PlainJson});
  Names served = routes->Routes();
  served.insert("GET /ws");  // by the listener itself
  EXPECT_EQ(DocumentedRoutes(kClientPort), served);
}

TEST(OpenApiDocTest, HasTheRoutesOfTheAdminPort) {
  MemoryCore core;
  AdminOptions options;
  options.lab_page = web::LabFiles();
  const auto routes =
      MakeAdminRoutes(std::move(options), core.scheduler(), core.node(), core.registry());
  EXPECT_EQ(DocumentedRoutes(kAdminPort), routes->Routes());
}

TEST(OpenApiDocTest, HasTheErrorCodes) {
  Names documented;
  for (const auto& code : Schema("ErrorCode")["enum"]) documented.insert(code.as<std::string>());
  Names known;
  for (const core::ErrorCodeInfo& info : core::ErrorCodes()) known.emplace(info.name);
  EXPECT_EQ(documented, known);
}

TEST(OpenApiDocTest, HasTheRelayModes) {
  EXPECT_EQ(Schema("RelayMode")["enum"].as<std::vector<std::string>>(), AdminOptions{}.relay_modes);
}

TEST(OpenApiDocTest, HasTheLimits) {
  using core::Moderation;
  EXPECT_EQ(Schema("Id")["pattern"].as<std::string>(),
            "^[A-Za-z0-9._:@-]{1," + std::to_string(kMaxIdBytes) + "}$");
  EXPECT_EQ(Schema("Seq")["maximum"].as<core::Seq>(), core::kMaxSeq);
  EXPECT_EQ(Schema("Text")["maxLength"].as<std::size_t>(), kMaxBodyBytes);
  EXPECT_EQ(Schema("CreateRoom")["properties"]["members"]["maxItems"].as<std::size_t>(),
            Moderation::kMaxFirstMembers);
  EXPECT_EQ(Schema("Sessions")["properties"]["sessions"]["maxItems"].as<std::size_t>(),
            Moderation::kMaxPage);
  const YAML::Node members = Parameter("/api/v1/rooms/{room}/members", "limit");
  EXPECT_EQ(members["maximum"].as<std::size_t>(), Moderation::kMaxPage);
  const YAML::Node history = Parameter("/api/v1/rooms/{room}/messages", "limit");
  EXPECT_EQ(history["default"].as<std::size_t>(), core::HistoryRequest{}.limit);
}

// Names that a body or a query may have stand in the code as CheckNames({"a", "b"}).
Names NamesTakenByTheCode() {
  std::ifstream file("server/api/room_requests.cc");
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const std::regex list(R"(CheckNames\((?:fields, )?\{([^}]*)\}\))");
  const std::regex name(R"x("(\w+)")x");
  Names names;
  for (std::sregex_iterator at(source.begin(), source.end(), list), end; at != end; ++at) {
    const std::string text = (*at)[1].str();
    for (std::sregex_iterator one(text.begin(), text.end(), name); one != end; ++one) {
      names.insert((*one)[1].str());
    }
  }
  return names;
}

TEST(OpenApiDocTest, EveryNameThatTheCodeTakesIsInTheDocument) {
  Names documented;
  for (const char* body : {"CreateRoom", "Publish"}) {
    for (const auto& property : Schema(body)["properties"]) {
      documented.insert(property.first.as<std::string>());
    }
  }
  for (const char* path :
       {"/api/v1/rooms/{room}/members", "/api/v1/rooms/{room}/messages", "/admin/v1/sessions"}) {
    for (const auto& parameter : Document()["paths"][path]["get"]["parameters"]) {
      documented.insert(parameter["name"].as<std::string>());
    }
  }
  EXPECT_EQ(NamesTakenByTheCode(), documented);
}

}  // namespace
}  // namespace minichat::api
