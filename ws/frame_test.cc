#include "ws/frame.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

using namespace std::string_literals;

TEST(FrameTest, TheLengthTakesAsLittleRoomAsItCan) {
  EXPECT_EQ(TextFrame(""), "\x81\x00"s);
  EXPECT_EQ(TextFrame("hi"), "\x81\x02hi");
  EXPECT_EQ(TextFrame(std::string(125, 'x')).substr(0, 3), "\x81\x7dx");
  EXPECT_EQ(TextFrame(std::string(126, 'x')).substr(0, 5), "\x81\x7e\x00\x7ex"s);
  EXPECT_EQ(TextFrame(std::string(65'535, 'x')).substr(0, 5), "\x81\x7e\xff\xffx"s);
  EXPECT_EQ(TextFrame(std::string(65'536, 'x')).substr(0, 11),
            "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00x"s);
  EXPECT_EQ(PingFrame(), "\x89\x00"s);
}

TEST(FrameTest, AWholeTextFrameIsTold) {
  for (const std::size_t size : {0, 1, 125, 126, 127, 65'535, 65'536, 70'000}) {
    const std::string frame = TextFrame(std::string(size, 'x'));
    EXPECT_TRUE(IsTextFrame(frame)) << size;
    EXPECT_FALSE(IsTextFrame(frame + "x")) << size;
    EXPECT_FALSE(IsTextFrame(frame.substr(0, frame.size() - 1))) << size;
  }
}

TEST(FrameTest, EverythingElseIsNone) {
  for (const std::string& bytes :
       {""s, "\x81"s, "{\"op\":\"message\"}"s, "\x82\x02hi"s, "\x01\x02hi"s, "\x81\x82hi"s,
        "\x81\x7e\x00\x02hi"s, "\x81\x02hi\x81\x02hi"s, PingFrame()}) {
    EXPECT_FALSE(IsTextFrame(bytes)) << bytes;
  }
}

TEST(FrameTest, ACloseFrameIsTold) {
  EXPECT_TRUE(IsCloseFrame("\x88\x00"s));
  EXPECT_FALSE(IsCloseFrame(PingFrame()));
  EXPECT_FALSE(IsCloseFrame("HTTP/1.1 101 Switching Protocols\r\n"));
}

TEST(FrameTest, ACloseFrameHasItsCodeBehindTheHeader) {
  EXPECT_EQ(CloseCodeOf("\x88\x04\x03\xf1no"), 1009);
  EXPECT_EQ(CloseCodeOf(std::string("\x88\0", 2)), 1005);
}

}  // namespace
}  // namespace minichat::ws
