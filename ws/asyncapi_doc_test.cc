// docs/asyncapi.yaml says what the code does: the same codes, ops, fields and limits, in both
// directions. What the values of fields look like is checked on live frames (tests/web).
#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "server/base/utf8.h"
#include "server/core/ports/authenticator.h"
#include "ws/close_reason.h"
#include "ws/codec.h"

namespace minichat::ws {
namespace {

namespace json = boost::json;
using testing::StartsWith;
using Names = std::set<std::string>;

const YAML::Node& Document() {
  static const YAML::Node kDocument = YAML::LoadFile("docs/asyncapi.yaml");
  return kDocument;
}
YAML::Node Session() {
  return Document()["channels"]["session"];
}
YAML::Node Schema(const std::string& name) {
  return Document()["components"]["schemas"][name];
}
YAML::Node SchemaOfMessage(const std::string& message) {
  const auto ref =
      Document()["components"]["messages"][message]["payload"]["$ref"].as<std::string>();
  return Schema(ref.substr(ref.rfind('/') + 1));
}
std::string OpOf(const YAML::Node& schema) {
  return schema["properties"]["op"]["const"].as<std::string>();
}

// The schemas of what clients send, or of what nodes send: as operations name their messages.
std::vector<YAML::Node> Schemas(bool of_clients) {
  Names messages;
  const auto add = [&](const YAML::Node& refs) {
    for (const auto& ref : refs) {
      const auto text = ref["$ref"].as<std::string>();
      messages.insert(text.substr(text.rfind('/') + 1));
    }
  };
  for (const auto& operation : Document()["operations"]) {
    const bool receives = operation.second["action"].as<std::string>() == "receive";
    if (receives == of_clients) add(operation.second["messages"]);
    if (receives && !of_clients) add(operation.second["reply"]["messages"]);
  }
  std::vector<YAML::Node> schemas;
  for (const std::string& message : messages) schemas.push_back(SchemaOfMessage(message));
  return schemas;
}

Names Ops(const std::vector<YAML::Node>& schemas) {
  Names ops;
  for (const YAML::Node& schema : schemas) ops.insert(OpOf(schema));
  return ops;
}
Names Fields(const YAML::Node& schema) {
  Names fields;
  for (const auto& property : schema["properties"]) fields.insert(property.first.as<std::string>());
  return fields;
}

TEST(AsyncApiDocTest, HasTheErrorCodes) {
  const YAML::Node codes = Schema("ErrorCode")["oneOf"];
  ASSERT_EQ(codes.size(), core::ErrorCodes().size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const core::ErrorCodeInfo& info = core::ErrorCodes()[i];
    EXPECT_EQ(codes[i]["const"].as<std::string>(), info.name);
    EXPECT_EQ(codes[i]["description"].as<std::string>(), info.what);
    EXPECT_EQ(codes[i]["x-retry"].as<bool>(), info.retry) << info.name;
  }
}

TEST(AsyncApiDocTest, HasTheCloseCodes) {
  const YAML::Node codes = Session()["x-close-codes"];
  ASSERT_EQ(codes.size(), CloseReasons().size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const CloseReasonInfo& info = CloseReasons()[i];
    EXPECT_EQ(codes[i]["code"].as<int>(), info.code);
    EXPECT_EQ(codes[i]["name"].as<std::string>(), info.name);
    EXPECT_EQ(codes[i]["reconnect"].as<bool>(), info.reconnect) << info.name;
    EXPECT_EQ(codes[i]["why"].as<std::string>(), info.why);
  }
}

TEST(AsyncApiDocTest, HasTheOpsOfClients) {
  const auto ops = ClientOps();
  EXPECT_EQ(Ops(Schemas(true)), Names(ops.begin(), ops.end()));
}

TEST(AsyncApiDocTest, HasTheOpsOfNodes) {
  EXPECT_EQ(Ops(Schemas(false)), Names(kNodeOps.begin(), kNodeOps.end()));
}

TEST(AsyncApiDocTest, EveryMessageBelongsToAnOperation) {
  EXPECT_EQ(Schemas(true).size() + Schemas(false).size(),
            Document()["components"]["messages"].size());
  EXPECT_EQ(Session()["messages"].size(), Document()["components"]["messages"].size());
}

TEST(AsyncApiDocTest, HasTheLimits) {
  EXPECT_EQ(Session()["x-subprotocol"].as<std::string>(), kSubprotocol);
  EXPECT_EQ(Session()["x-max-frame-bytes"].as<std::size_t>(), kMaxFrameBytes);
  EXPECT_EQ(Schema("Id")["pattern"].as<std::string>(),
            "^[A-Za-z0-9._:@-]{1," + std::to_string(kMaxIdBytes) + "}$");
  EXPECT_EQ(Schema("Rid")["oneOf"][1]["maxLength"].as<std::size_t>(), kMaxIdBytes);
  EXPECT_EQ(Schema("Seq")["maximum"].as<core::Seq>(), core::kMaxSeq);
  EXPECT_EQ(Schema("Text")["maxLength"].as<std::size_t>(), kMaxBodyBytes);
  EXPECT_EQ(Schema("Token")["maxLength"].as<std::size_t>(), core::kMaxTokenBytes);
  const YAML::Node users = Schema("Who")["properties"]["limit"];
  EXPECT_EQ(users["maximum"].as<std::size_t>(), kMaxWhoLimit);
  EXPECT_EQ(users["default"].as<std::size_t>(), core::WhoRequest{}.limit);
  const YAML::Node limit = Schema("History")["properties"]["limit"];
  EXPECT_EQ(limit["maximum"].as<std::size_t>(), kMaxHistoryLimit);
  EXPECT_EQ(limit["default"].as<std::size_t>(), core::HistoryRequest{}.limit);
  EXPECT_EQ(Schema("HistoryPage")["properties"]["messages"]["maxItems"].as<std::size_t>(),
            kMaxHistoryLimit);
}

// A value that no field takes; `data` takes any, so it is made too large.
json::value WrongFor(const std::string& field) {
  if (field == "data") return json::string(kMaxBodyBytes + 1, 'x');
  return json::array{json::object{}};
}

TEST(AsyncApiDocTest, ClientsFieldsAreThoseThatTheCodeKnows) {
  for (const YAML::Node& schema : Schemas(true)) {
    const std::string op = OpOf(schema);
    for (const std::string& field : Fields(schema)) {
      if (field == "op") continue;
      json::object frame{{"op", op}, {"room", "r"}, {"cid", "c"}};
      if (field != "data") frame["text"] = "t";
      frame[field] = WrongFor(field);

      const DecodedFrame decoded = DecodeFrame(json::serialize(frame));

      const auto* bad = std::get_if<BadFrame>(&decoded);
      ASSERT_NE(bad, nullptr) << op << "." << field << " is not looked at";
      EXPECT_THAT(bad->error.message, StartsWith(field == "rid" ? "rid: " : op + "." + field));
    }
  }
}

// Fields that the code reads stand in it as literals.
Names FieldsReadIn(const std::string& path) {
  std::ifstream file(path);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const std::regex read(R"(fields\.(?:Id|Ids|Text|Number|Flag|Find|Has)\("(\w+)\")");
  Names names;
  for (std::sregex_iterator at(source.begin(), source.end(), read), end; at != end; ++at) {
    names.insert((*at)[1].str());
  }
  return names;
}

TEST(AsyncApiDocTest, EveryFieldThatTheCodeReadsIsInTheDocument) {
  Names read = FieldsReadIn("ws/codec_decode.cc");
  read.merge(FieldsReadIn("server/wire/json_fields.cc"));
  Names documented;
  for (const YAML::Node& schema : Schemas(true)) documented.merge(Fields(schema));
  documented.erase("op");
  documented.erase("rid");
  EXPECT_EQ(read, documented);
}

core::PlacedMessage Placed(core::BodyKind kind) {
  return {core::MakeMessage(core::RoomId("general"), core::UserId("ann"),
                            core::ClientMessageId("c-1"), kind, "1", 1790000000000),
          {58, 57, 1}};
}

Welcome FullWelcome() {
  Welcome welcome;
  welcome.expires_ms = 1790000000000;
  const core::RoomId room("general");
  welcome.resumed.emplace_back(room, core::JoinReply{room, 57, 41, true});
  return welcome;
}

// One of each frame, together with all fields that it may have.
std::vector<std::string> OneOfEach() {
  const core::RoomId room("general");
  return {EncodeWelcome("1", FullWelcome()),
          EncodeJoined("1", {room, 57, 41, true}),
          EncodeLeft("1", room),
          EncodeRemoved(room),
          EncodeAck("1", room, {}),
          EncodeHistory("1", room, {{Placed(core::BodyKind::kText)}, 8}, false),
          EncodeWho("1", room, {{{core::UserId("bob"), 2}}, core::UserId("bob")}),
          EncodeRefreshed("1", 1790000000000),
          EncodePong("1"),
          EncodeError("1", {core::ErrorCode::kUnavailable, "why", 100}),
          EncodeMessage(Placed(core::BodyKind::kText)),
          EncodeMessage(Placed(core::BodyKind::kData)),
          EncodeGap(room, 44, 57),
          EncodeNotice(core::Notice::Kind::kTyping, room, core::UserId("bob")),
          EncodeNotice(core::Notice::Kind::kOnline, room, core::UserId("bob")),
          EncodeBye("draining", 100, 2000)};
}

Names Keys(const json::object& object) {
  Names keys;
  for (const auto& member : object) keys.insert(std::string(member.key()));
  return keys;
}

TEST(AsyncApiDocTest, NodesFieldsAreThoseThatTheCodeSends) {
  std::map<std::string, Names> sent;
  std::map<std::string, Names> documented;
  for (const std::string& text : OneOfEach()) {
    const json::object frame = json::parse(text).as_object();
    sent[std::string(frame.at("op").as_string())].merge(Keys(frame));
  }
  for (const YAML::Node& schema : Schemas(false)) documented[OpOf(schema)].merge(Fields(schema));
  EXPECT_EQ(sent, documented);
}

TEST(AsyncApiDocTest, FieldsOfFieldsAreThoseThatTheCodeSends) {
  const json::object welcome = json::parse(EncodeWelcome("", FullWelcome())).as_object();
  const json::object bye = json::parse(EncodeBye("draining", 100, 2000)).as_object();
  const YAML::Node resumed =
      Schema("Welcome")["properties"]["resumed"]["additionalProperties"]["oneOf"][0];
  EXPECT_EQ(Keys(welcome.at("limits").as_object()),
            Fields(Schema("Welcome")["properties"]["limits"]));
  EXPECT_EQ(Keys(welcome.at("resumed").as_object().at("general").as_object()), Fields(resumed));
  EXPECT_EQ(Keys(bye.at("reconnect").as_object()),
            Fields(Schema("Bye")["properties"]["reconnect"]));
}

}  // namespace
}  // namespace minichat::ws
