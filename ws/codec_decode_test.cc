#include <gtest/gtest.h>

#include "ws/codec.h"

namespace minichat::ws {
namespace {

BadFrame Refused(const std::string& text) {
  DecodedFrame decoded = DecodeFrame(text);
  if (auto* bad = std::get_if<BadFrame>(&decoded)) return *bad;
  ADD_FAILURE() << "was taken: " << text;
  return {};
}

template <class T>
T Taken(const std::string& text, std::string* rid = nullptr) {
  DecodedFrame decoded = DecodeFrame(text);
  if (auto* bad = std::get_if<BadFrame>(&decoded)) {
    ADD_FAILURE() << bad->error.message << ": " << text;
    return {};
  }
  auto& frame = std::get<ClientFrame>(decoded);
  if (rid != nullptr) *rid = frame.rid;
  EXPECT_TRUE(std::holds_alternative<T>(frame.op));
  return std::get<T>(frame.op);
}

std::string Nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

std::string SendOf(const std::string& member) {
  return R"({"op":"send","rid":3,"room":"general","cid":"c-1",)" + member + "}";
}

TEST(DecodeFrameTest, ReadsHello) {
  const auto hello = Taken<Hello>(R"({"op":"hello","user":"ann","resume":{"general":41,"b":0}})");

  ASSERT_TRUE(hello.user);
  EXPECT_EQ(hello.user->value(), "ann");
  ASSERT_EQ(hello.resume.size(), 2u);
  EXPECT_EQ(hello.resume[0].first.value(), "general");
  EXPECT_EQ(hello.resume[0].second, 41u);
}

TEST(DecodeFrameTest, ReadsTokenOfRefresh) {
  EXPECT_EQ(Taken<Refresh>(R"({"op":"refresh","token":"a.b.c"})").token, "a.b.c");
}

TEST(DecodeFrameTest, ReadsTokenOfHello) {
  EXPECT_EQ(Taken<Hello>(R"({"op":"hello","token":"a.b.c"})").token, "a.b.c");
}

TEST(DecodeFrameTest, ReadsJoinWithAndWithoutSince) {
  EXPECT_FALSE(Taken<Join>(R"({"op":"join","room":"g"})").since);
  EXPECT_EQ(Taken<Join>(R"({"op":"join","room":"g","since":9007199254740991})").since,
            core::kMaxSeq);
}

TEST(DecodeFrameTest, ReadsLeaveAndPing) {
  EXPECT_EQ(Taken<Leave>(R"({"op":"leave","room":"g"})").room.value(), "g");
  Taken<Ping>(R"({"op":"ping"})");
}

TEST(DecodeFrameTest, ReadsSendWithText) {
  const auto send = Taken<Send>(SendOf(R"("text":"h\u00e9 \ud83d\ude00","resend":true)"));

  EXPECT_EQ(send.request.body, "h\xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(send.request.kind, core::BodyKind::kText);
  EXPECT_EQ(send.request.cid.value(), "c-1");
  EXPECT_TRUE(send.request.resend);
}

TEST(DecodeFrameTest, KeepsTheBytesOfDataAsReceived) {
  const std::string data = R"({ "b" : [1.50, "x\u0041}", null],
 "a":{"text":"y"} })";

  const auto send = Taken<Send>(SendOf("\"data\": " + data + " "));

  EXPECT_EQ(send.request.kind, core::BodyKind::kData);
  EXPECT_EQ(send.request.body, data);
}

TEST(DecodeFrameTest, TakesAnyJsonValueAsData) {
  for (const std::string data : {"null", "7", "\"s\"", "[]", "false", "1e3"}) {
    EXPECT_EQ(Taken<Send>(SendOf("\"data\":" + data)).request.body, data);
  }
}

TEST(DecodeFrameTest, ReadsHistory) {
  const auto history =
      Taken<History>(R"({"op":"history","room":"g","before":58,"limit":200})").request;
  EXPECT_EQ(history.before, 58u);
  EXPECT_EQ(history.limit, 200u);
  EXPECT_EQ(Taken<History>(R"({"op":"history","room":"g"})").request.limit, 50u);
}

TEST(DecodeFrameTest, RidComesBackAsItWas) {
  std::string rid;
  Taken<Ping>(R"({"op":"ping","rid":-7})", &rid);
  EXPECT_EQ(rid, "-7");
  Taken<Ping>(R"({"op":"ping","rid":"a\"\n\u00e9"})", &rid);
  EXPECT_EQ(rid, "\"a\\\"\\n\xc3\xa9\"");
  Taken<Ping>(R"({"op":"ping"})", &rid);
  EXPECT_EQ(rid, "");
}

TEST(DecodeFrameTest, IgnoresFieldsItDoesNotKnow) {
  Taken<Ping>(R"({"op":"ping","colour":{"red":1}})");
}

struct BadCase {
  std::string text;
  std::string message;  // or its beginning
  core::ErrorCode code = core::ErrorCode::kBadRequest;
};

const std::string kIds = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : @ -";
const std::string kSeqs = "must be a whole number from 0 to 9007199254740991";

const std::vector<BadCase>& BadCases() {
  using core::ErrorCode;
  static const std::vector<BadCase> kCases = {
      {"", "frame: not valid JSON at byte "},
      {"{", "frame: not valid JSON at byte 1: "},
      {"{} {}", "frame: not valid JSON at byte "},
      {"[]", "frame: must be a JSON object"},
      {"7", "frame: must be a JSON object"},
      {R"({"op":"ping",})", "frame: not valid JSON at byte "},
      {R"({"op":"ping","rid":NaN})", "frame: not valid JSON at byte "},
      {"{\"op\":\"\xff\"}", "frame: not valid JSON at byte "},
      {"{\"op\":\"\xc0\x80\"}", "frame: not valid JSON at byte "},
      {"{\"op\":\"\xed\xa0\x80\"}", "frame: not valid JSON at byte "},
      {std::string("{\"op\":\"a\0\"}", 10), "frame: not valid JSON at byte "},
      {SendOf("\"text\":\"a\nb\""), "frame: not valid JSON at byte "},
      {SendOf(R"("text":"\ud800")"), "frame: not valid JSON at byte "},
      {SendOf(R"("text":"\ud800\u0041")"), "frame: not valid JSON at byte "},
      {SendOf(R"("text":"\udc00")"), "frame: not valid JSON at byte "},
      {SendOf(R"("data":{"k\udc00":1})"), "frame: not valid JSON at byte "},
      {SendOf(R"("text":"a\u0000b")"), "frame: U+0000 is not allowed in strings"},
      {SendOf(R"("data":["\\\u0000"])"), "frame: U+0000 is not allowed in strings"},
      {SendOf(R"("data":{"\u0000":1})"), "frame: U+0000 is not allowed in strings"},
      {SendOf("\"data\":" + Nested(32)), "frame: nested deeper than 32"},
      {SendOf("\"data\":" + Nested(20'000)), "frame: nested deeper than 32"},
      {R"({"op":"ping","op":"ping"})", R"(frame: "op" appears twice)"},
      {R"({"op":"ping","\u006fp":"ping"})", "frame: an object has the same key twice"},
      {SendOf(R"("data":{"a":{"b":1,"b":2}})"), "frame: an object has the same key twice"},
      {SendOf(R"("data":[{"b":{"c":1},"b":2}])"), "frame: an object has the same key twice"},
      {R"({"op":"hello","user":"ann","resume":{"g":1,"g":2}})",
       "frame: an object has the same key twice"},
      {R"({"rid":1})", "op: is missing"},
      {R"({"op":7})", "op: must be a string"},
      {R"({"op":"dance"})", R"(op: unknown "dance"; must be one of hello, join, leave,)"},
      {R"({"op":"<b>"})", "op: unknown; must be one of"},
      {R"({"op":"ping","rid":1.5})", "rid: must be a whole number within 2^53 or a string"},
      {R"({"op":"ping","rid":9007199254740992})", "rid: must be within 2^53"},
      {R"({"op":"ping","rid":-9007199254740992})", "rid: must be within 2^53"},
      {R"({"op":"ping","rid":18446744073709551615})", "rid: must be a whole number within 2^53"},
      {R"({"op":"ping","rid":null})", "rid: must be a whole number within 2^53 or a string"},
      {R"({"op":"ping","rid":")" + std::string(65, 'x') + "\"}", "rid: must be at most 64 bytes"},
      {R"({"op":"hello","user":7})", "hello.user: must be a string"},
      {R"({"op":"hello","user":"ann b"})", "hello.user: " + kIds},
      {R"({"op":"hello","token":7})", "hello.token: must be a string"},
      {R"({"op":"hello","token":")" + std::string(4097, 't') + "\"}",
       "hello.token: must be at most 4096 bytes", ErrorCode::kTooLarge},
      {R"({"op":"hello","user":"a","resume":[]})", "hello.resume: must be an object of room: seq"},
      {R"({"op":"hello","user":"a","resume":{"":1}})", "hello.resume: each room " + kIds},
      {R"({"op":"hello","user":"a","resume":{"g":"1"}})", "hello.resume.g: " + kSeqs},
      {R"({"op":"hello","user":"a","resume":{"g":-1}})", "hello.resume.g: " + kSeqs},
      {R"({"op":"join"})", "join.room: is missing"},
      {R"({"op":"join","room":null})", "join.room: must be a string"},
      {R"({"op":"join","room":""})", "join.room: " + kIds},
      {R"({"op":"join","room":"a/b"})", "join.room: " + kIds},
      {R"({"op":"join","room":"é"})", "join.room: " + kIds},
      {R"({"op":"join","room":")" + std::string(65, 'r') + "\"}", "join.room: " + kIds},
      {R"({"op":"join","room":"g","since":"41"})", "join.since: " + kSeqs},
      {R"({"op":"join","room":"g","since":-1})", "join.since: " + kSeqs},
      {R"({"op":"join","room":"g","since":4.5})", "join.since: " + kSeqs},
      {R"({"op":"join","room":"g","since":9007199254740992})", "join.since: " + kSeqs},
      {R"({"op":"join","room":"g","since":1e999})", ""},
      {R"({"op":"join","room":"g","since":null})", "join.since: " + kSeqs},
      {R"({"op":"leave"})", "leave.room: is missing"},
      {R"({"op":"send","cid":"c","text":"x"})", "send.room: is missing"},
      {R"({"op":"send","room":"g","text":"x"})", "send.cid: is missing"},
      {R"({"op":"send","room":"g","cid":"","text":"x"})", "send.cid: " + kIds},
      {R"({"op":"send","room":"g","cid":7,"text":"x"})", "send.cid: must be a string"},
      {R"({"op":"send","room":"g","cid":"c"})", "send.text: is missing (or data)"},
      {SendOf(R"("text":7)"), "send.text: must be a string"},
      {SendOf(R"("text":"x","data":1)"), "send.text: can't stand beside data"},
      {SendOf(R"("text":"x","resend":1)"), "send.resend: must be true or false"},
      {SendOf(R"("d\u0061ta":1)"), "send.data: the name must be written without escapes"},
      {SendOf("\"text\":\"" + std::string(4097, 'x') + "\""),
       "send.text: must be at most 4096 bytes, is 4097", ErrorCode::kTooLarge},
      {SendOf("\"data\":\"" + std::string(4095, 'x') + "\""),
       "send.data: must be at most 4096 bytes, is 4097", ErrorCode::kTooLarge},
      {R"({"op":"history"})", "history.room: is missing"},
      {R"({"op":"history","room":"g","before":1,"after":1})",
       "history.before: can't stand beside after"},
      {R"({"op":"history","room":"g","before":"1"})", "history.before: " + kSeqs},
      {R"({"op":"history","room":"g","after":-3})", "history.after: " + kSeqs},
      {R"({"op":"history","room":"g","limit":0})", "history.limit: must be a whole number from 1"},
      {R"({"op":"history","room":"g","limit":201})", "history.limit: must be a whole number"},
      {R"({"op":"history","room":"g","limit":"9"})", "history.limit: "},
      {R"({"op":"who"})", "who.room: is missing"},
      {R"({"op":"who","room":"a b"})", "who.room: " + kIds},
      {R"({"op":"who","room":"g","after":7})", "who.after: must be a string"},
      {R"({"op":"who","room":"g","after":null})", "who.after: must be a string"},
      {R"({"op":"who","room":"g","after":""})", "who.after: " + kIds},
      {R"({"op":"who","room":"g","limit":0})", "who.limit: must be a whole number from 1 to 200"},
      {R"({"op":"who","room":"g","limit":201})", "who.limit: must be a whole number from 1"},
      {R"({"op":"who","room":"g","limit":-1})", "who.limit: "},
      {R"({"op":"who","room":"g","limit":1.5})", "who.limit: "},
      {R"({"op":"who","room":"g","limit":null})", "who.limit: "},
      {R"({"op":"typing"})", "typing.room: is missing"},
      {R"({"op":"typing","room":["g"]})", "typing.room: must be a string"},
      {R"({"op":"typing","room":"g/h"})", "typing.room: " + kIds},
      {R"({"op":"ping","pad":")" + std::string(kMaxFrameBytes, 'x') + "\"}",
       "frame: must be at most 65536 bytes", ErrorCode::kTooLarge},
  };
  return kCases;
}

TEST(DecodeFrameTest, EachBadInputIsRefusedWithWhatAndWhere) {
  for (const BadCase& bad : BadCases()) {
    SCOPED_TRACE(bad.text.substr(0, 200));
    const BadFrame refused = Refused(bad.text);
    EXPECT_EQ(refused.error.code, bad.code);
    EXPECT_EQ(refused.error.message.substr(0, bad.message.size()), bad.message);
  }
}

TEST(DecodeFrameTest, RefusalsCarryTheRidWhenItCanBeRead) {
  EXPECT_EQ(Refused(SendOf(R"("text":7)")).rid, "3");
  EXPECT_EQ(Refused(R"({"rid":"q","op":"dance"})").rid, "\"q\"");
  EXPECT_EQ(Refused(SendOf(R"("data":{"b":1,"b":2})")).rid, "3");
  EXPECT_EQ(Refused(R"({"rid":"q")").rid, "");
}

TEST(DecodeFrameTest, LimitsAreInclusive) {
  Taken<Send>(SendOf("\"text\":\"" + std::string(4096, 'x') + "\""));
  Taken<Send>(SendOf("\"data\":\"" + std::string(4094, 'x') + "\""));
  Taken<Send>(SendOf("\"data\":" + Nested(31)));
  Taken<Join>(R"({"op":"join","room":")" + std::string(64, 'r') + "\"}");
  Taken<Send>(SendOf(R"("text":"")"));
  Taken<Send>(SendOf(R"("text":"\\u0000")"));
  std::string rid;
  Taken<Ping>(R"({"op":"ping","rid":9007199254740991})", &rid);
  EXPECT_EQ(rid, "9007199254740991");
}

TEST(DecodeFrameTest, LengthIsCountedInBytesOfUtf8) {
  std::string text;
  for (int i = 0; i < 2049; ++i) text += "é";

  EXPECT_EQ(Refused(SendOf("\"text\":\"" + text + "\"")).error.code, core::ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace minichat::ws
