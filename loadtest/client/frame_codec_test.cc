#include "loadtest/client/frame_codec.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

constexpr MaskKey kMask{0x37, 0xfa, 0x21, 0x3d};

// What a server would send: the same frame without the mask.
std::string ServerFrame(int first_byte, std::string_view payload) {
  std::string frame{static_cast<char>(first_byte)};
  if (payload.size() < 126) {
    frame.push_back(static_cast<char>(payload.size()));
  } else {
    frame.push_back(126);
    frame.push_back(static_cast<char>(payload.size() >> 8));
    frame.push_back(static_cast<char>(payload.size()));
  }
  return frame.append(payload);
}

TEST(FrameCodecTest, AcceptsTheKeyOfTheRfcsExample) {
  EXPECT_EQ(AcceptFor("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(FrameCodecTest, MasksTheHelloOfTheRfcsExample) {
  std::string out;
  AppendFrame(Opcode::kText, "Hello", kMask, true, &out);

  EXPECT_EQ(out, std::string("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11));
}

TEST(FrameCodecTest, WritesTheLongLengthsInNetworkOrder) {
  std::string medium, large;
  AppendFrame(Opcode::kBinary, std::string(300, 'x'), kMask, true, &medium);
  AppendFrame(Opcode::kBinary, std::string(70'000, 'x'), kMask, true, &large);

  EXPECT_EQ(medium.substr(0, 4), std::string("\x82\xfe\x01\x2c", 4));
  EXPECT_EQ(large.substr(0, 10), std::string("\x82\xff\0\0\0\0\0\x01\x11\x70", 10));
}

TEST(FrameReaderTest, ReadsFramesThatArriveByteByByte) {
  const std::string bytes = ServerFrame(0x81, "one") + ServerFrame(0x81, std::string(200, 'y'));
  FrameReader reader;
  std::vector<std::string> got;

  for (const char byte : bytes) {
    reader.Append({&byte, 1});
    while (const auto incoming = reader.Next()) got.emplace_back(incoming->payload);
  }

  EXPECT_EQ(got, (std::vector<std::string>{"one", std::string(200, 'y')}));
}

TEST(FrameReaderTest, JoinsFragmentsAndLetsAPingThroughBetweenThem) {
  FrameReader reader;
  reader.Append(ServerFrame(0x01, "Hel") + ServerFrame(0x89, "p") + ServerFrame(0x80, "lo"));

  const auto ping = reader.Next();
  ASSERT_TRUE(ping);
  EXPECT_EQ(ping->opcode, Opcode::kPing);
  const auto text = reader.Next();
  ASSERT_TRUE(text);
  EXPECT_EQ(text->opcode, Opcode::kText);
  EXPECT_EQ(text->payload, "Hello");
}

TEST(FrameReaderTest, NamesTheRuleThatAServerBroke) {
  FrameReader masked, continued, long_ping;
  std::string frame;
  AppendFrame(Opcode::kText, "x", kMask, true, &frame);
  masked.Append(frame);
  continued.Append(ServerFrame(0x80, "x"));
  long_ping.Append(ServerFrame(0x89, std::string(126, 'x')));

  EXPECT_FALSE(masked.Next());
  EXPECT_FALSE(continued.Next());
  EXPECT_FALSE(long_ping.Next());
  EXPECT_EQ(masked.error(), "a server's frame is masked");
  EXPECT_EQ(continued.error(), "fragments are out of order");
  EXPECT_EQ(long_ping.error(), "a control frame is cut or too long");
}

TEST(ResponseHeadTest, WaitsForTheWholeHeadAndFindsTheAccept) {
  const std::string head = "HTTP/1.1 101 Switching Protocols\r\nsec-websocket-ACCEPT: abc=\r\n\r\n";

  EXPECT_FALSE(ParseResponseHead(std::string_view(head).substr(0, head.size() - 1)));
  const auto parsed = ParseResponseHead(head + "rest");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->status, 101);
  EXPECT_EQ(parsed->accept, "abc=");
  EXPECT_EQ(parsed->bytes, head.size());
}

TEST(ResponseHeadTest, HasStatusZeroForWhatIsNotHttp) {
  const auto parsed = ParseResponseHead("SSH-2.0-x\r\n\r\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->status, 0);
}

}  // namespace
}  // namespace minichat::loadtest
