#include "loadtest/load/event_scan.h"

#include <string>

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

constexpr std::string_view kEvent =
    R"({"op":"message","room":"r1","seq":58,"id":"0190","from":"ann","ts":1790000000000,"text":"hi"})";

TEST(EventScanTest, ReadsAnEventAsTheNodeWritesIt) {
  const auto event = ScanEvent(kEvent);

  ASSERT_TRUE(event);
  EXPECT_EQ(event->room, "r1");
  EXPECT_EQ(event->seq, 58U);
  EXPECT_EQ(event->id, "0190");
  EXPECT_EQ(event->text, "hi");
}

TEST(EventScanTest, LeavesEverythingElseToAParser) {
  EXPECT_FALSE(ScanEvent(R"({"op":"ack","rid":1})"));
  EXPECT_FALSE(ScanEvent(R"({"room":"r1","op":"message"})"));
  EXPECT_FALSE(ScanEvent(R"({"op":"message","room":"r1","seq":1,"id":"a","from":"b","ts":1,)"
                         R"("text":"a \"quoted\" word"})"));
  EXPECT_FALSE(ScanEvent(""));
}

TEST(EventScanTest, NoBeginningOfAnEventIsAnEvent) {
  for (std::size_t length = 0; length < kEvent.size(); ++length) {
    EXPECT_FALSE(ScanEvent(kEvent.substr(0, length))) << length;
  }
}

}  // namespace
}  // namespace minichat::loadtest
