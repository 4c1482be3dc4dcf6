#include "ws/outbound_path.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

using namespace std::string_literals;
using std::chrono::seconds;

// A socket whose buffer has room for a stated number of bytes.
class FakeSocket final : public Writer {
 public:
  static constexpr std::size_t kUnlimited = std::size_t{1} << 40;

  std::optional<std::size_t> Write(std::span<const iovec> parts) override {
    ++calls;
    largest_call = std::max(largest_call, parts.size());
    if (broken) return std::nullopt;
    std::size_t taken = 0;
    for (const iovec& part : parts) {
      const std::size_t take = std::min(room, part.iov_len);
      written.append(static_cast<const char*>(part.iov_base), take);
      taken += take;
      room -= take;
    }
    return taken;
  }

  std::string written;
  std::size_t room = kUnlimited;
  std::size_t calls = 0;
  std::size_t largest_call = 0;
  bool broken = false;
};

const std::string kPong = "\x8a\x02pp";
const std::string kClose = "\x88\x02\x03\xe8"s;

Frame Raw(const std::string& bytes) {
  return std::make_shared<const std::string>(bytes);
}

class OutboundPathTest : public testing::Test {
 protected:
  void Push(const std::string& text) {
    Frame frame = MakeTextFrame(text);
    level_.Add(frame->size());
    path_.Push(std::move(frame), now_);
  }
  OutboundPath::Ticket PushControl(const std::string& bytes) {
    return path_.PushControl(Raw(bytes), now_);
  }
  // The socket takes `room` more bytes.
  bool Flush(std::size_t room = FakeSocket::kUnlimited) {
    socket_.room = room;
    return path_.Flush(socket_, now_);
  }
  void ExpectNothingHeld() {
    EXPECT_TRUE(path_.empty());
    EXPECT_EQ(level_.bytes(), 0u);
    EXPECT_EQ(level_.frames(), 0u);
    EXPECT_EQ(total_.Value(), 0);
  }

  MetricsRegistry registry_;
  Gauge& total_ = registry_.AddGauge("bytes", "");
  Counter& shed_ = registry_.AddCounter("shed", "");
  const OutboundLimits limits_{1000, 8, seconds(10)};
  OutboundPath::Clock::time_point now_{};
  OutboundLevel level_{limits_};
  OutboundPath path_{limits_, level_, total_, shed_};
  FakeSocket socket_;
};

TEST_F(OutboundPathTest, WhatOneTurnGatheredGoesOutInOneCall) {
  Push("one");
  Push("two");
  Push("three");

  EXPECT_TRUE(Flush());

  EXPECT_EQ(socket_.written, TextFrame("one") + TextFrame("two") + TextFrame("three"));
  EXPECT_EQ(socket_.calls, 1u);
  ExpectNothingHeld();
  EXPECT_TRUE(Flush());
  EXPECT_EQ(socket_.calls, 1u);  // nothing left, nothing asked
}

TEST_F(OutboundPathTest, MoreThanACallTakesGoesOutInSeveral) {
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    Push(std::to_string(i));
    expected += TextFrame(std::to_string(i));
  }

  EXPECT_TRUE(Flush());

  EXPECT_EQ(socket_.written, expected);
  EXPECT_EQ(socket_.calls, 3u);
  EXPECT_LE(socket_.largest_call, 1024u);
  ExpectNothingHeld();
}

// A batch of three frames, cut at `first` bytes and again `second` bytes later.
TEST_F(OutboundPathTest, ABatchMayBeCutAnywhereTwice) {
  const std::string batch = TextFrame("one") + TextFrame("") + TextFrame(std::string(130, 'x'));
  for (std::size_t first = 0; first <= batch.size(); ++first) {
    for (std::size_t second = 0; first + second <= batch.size(); ++second) {
      socket_.written.clear();
      Push("one");
      Push("");
      Push(std::string(130, 'x'));

      Flush(first);
      ASSERT_EQ(socket_.written, batch.substr(0, first));
      ASSERT_EQ(level_.frames(), first < 5 ? 3u : first < 7 ? 2u : first < batch.size() ? 1u : 0u);
      ASSERT_EQ(path_.empty(), first == batch.size());
      Flush(second);
      ASSERT_EQ(socket_.written, batch.substr(0, first + second));
      ASSERT_TRUE(Flush());
      ASSERT_EQ(socket_.written, batch);
      ASSERT_EQ(level_.bytes(), 0u);
    }
  }
  ExpectNothingHeld();
}

TEST_F(OutboundPathTest, AfterAShortWriteTheSocketIsNotAskedAgain) {
  Push("one");
  Push("two");

  EXPECT_FALSE(Flush(7));

  EXPECT_EQ(socket_.calls, 1u);
}

TEST_F(OutboundPathTest, AControlFrameGoesAheadButNeverIntoAFrame) {
  const std::string one = TextFrame("one"), two = TextFrame("two");
  for (std::size_t cut = 0; cut <= one.size() + two.size(); ++cut) {
    socket_.written.clear();
    Push("one");
    Push("two");
    Flush(cut);

    const OutboundPath::Ticket ticket = PushControl(kPong);
    EXPECT_FALSE(path_.IsOut(ticket));
    ASSERT_TRUE(Flush());

    EXPECT_TRUE(path_.IsOut(ticket));
    const std::string expected = cut == 0            ? kPong + one + two
                                 : cut <= one.size() ? one + kPong + two
                                                     : one + two + kPong;
    ASSERT_EQ(socket_.written, expected) << cut;
  }
}

TEST_F(OutboundPathTest, AControlFrameMayBeCutAsWell) {
  for (std::size_t cut = 1; cut < kPong.size(); ++cut) {
    socket_.written.clear();
    const OutboundPath::Ticket ticket = PushControl(kPong);
    EXPECT_FALSE(Flush(cut));
    EXPECT_TRUE(path_.has_control());
    Push("one");
    PushControl(kPong);

    EXPECT_FALSE(path_.IsOut(ticket));
    EXPECT_TRUE(Flush());

    EXPECT_TRUE(path_.IsOut(ticket));
    EXPECT_FALSE(path_.has_control());
    ASSERT_EQ(socket_.written, kPong + kPong + TextFrame("one"));
  }
}

TEST_F(OutboundPathTest, ACloseFrameIsTheLastThingWhereverItFinds) {
  const std::string one = TextFrame("one"), two = TextFrame("two");
  for (std::size_t cut = 0; cut <= one.size() + two.size(); ++cut) {
    OutboundPath path(limits_, level_, total_, shed_);
    FakeSocket socket;
    for (const std::string& frame : {one, two}) {
      level_.Add(frame.size());
      path.Push(Raw(frame), now_);
    }
    socket.room = cut;
    path.Flush(socket, now_);

    path.PushControl(Raw(kClose), now_);
    level_.Add(one.size());
    path.Push(Raw(one), now_);
    path.PushControl(Raw(kPong), now_);
    path.PushLatest("key", Raw(one));
    socket.room = FakeSocket::kUnlimited;
    EXPECT_TRUE(path.Flush(socket, now_));

    const std::string before = cut == 0 ? "" : cut <= one.size() ? one : one + two;
    ASSERT_EQ(socket.written, before + kClose) << cut;
    ExpectNothingHeld();
  }
}

TEST_F(OutboundPathTest, AResponseThatIsNoFrameIsNotTakenForAClose) {
  const std::string response = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
  PushControl(response);
  Push("one");

  EXPECT_TRUE(Flush());

  EXPECT_EQ(socket_.written, response + TextFrame("one"));
}

TEST_F(OutboundPathTest, AnErrorAnywhereLetsGoOfEverything) {
  const std::size_t batch = TextFrame("one").size() + TextFrame("two").size();
  for (std::size_t cut = 0; cut < batch; ++cut) {
    OutboundPath path(limits_, level_, total_, shed_);
    FakeSocket socket;
    for (const char* text : {"one", "two"}) {
      level_.Add(TextFrame(text).size());
      path.Push(MakeTextFrame(text), now_);
    }
    socket.room = cut;
    EXPECT_FALSE(path.Flush(socket, now_));
    const OutboundPath::Ticket ticket = path.PushControl(Raw(kPong), now_);
    socket.broken = true;

    EXPECT_TRUE(path.Flush(socket, now_));

    EXPECT_TRUE(path.broken());
    EXPECT_FALSE(path.IsOut(ticket));
    level_.Add(5);
    path.Push(MakeTextFrame("abc"), now_);
    EXPECT_EQ(socket.written.size(), cut);
    ExpectNothingHeld();
  }
}

TEST_F(OutboundPathTest, PresenceAndTypingComeLastAndTheNewestWins) {
  path_.PushLatest("general/ann", MakeTextFrame("ann online"));
  path_.PushLatest("general/bob", MakeTextFrame("bob online"));
  path_.PushLatest("general/ann", MakeTextFrame("ann offline"));
  Push("one");

  EXPECT_TRUE(Flush());

  EXPECT_EQ(socket_.written, TextFrame("one") + TextFrame("ann offline") + TextFrame("bob online"));
  EXPECT_EQ(shed_.Value(), 0);
}

TEST_F(OutboundPathTest, WhatIsHalfOutIsNotReplaced) {
  const std::string old = TextFrame("ann online");
  for (std::size_t cut = 1; cut < old.size(); ++cut) {
    socket_.written.clear();
    path_.PushLatest("ann", Raw(old));
    Flush(cut);
    path_.PushLatest("ann", MakeTextFrame("ann offline"));
    Push("one");

    EXPECT_TRUE(Flush());

    ASSERT_EQ(socket_.written, old + TextFrame("one") + TextFrame("ann offline"));
  }
  ExpectNothingHeld();
}

TEST_F(OutboundPathTest, PresenceAndTypingAreShedFirst) {
  Push(std::string(600, 'x'));
  path_.PushLatest("ann", MakeTextFrame("ann online"));
  EXPECT_EQ(shed_.Value(), 1);
  EXPECT_TRUE(Flush());

  EXPECT_EQ(socket_.written, TextFrame(std::string(600, 'x')));
  EXPECT_FALSE(path_.Exceeds(now_));
}

TEST_F(OutboundPathTest, ExceedsByBytes) {
  Push(std::string(996, 'x'));  // and a header of 4
  EXPECT_FALSE(path_.Exceeds(now_));
  Push("");
  EXPECT_TRUE(path_.Exceeds(now_));
}

TEST_F(OutboundPathTest, ExceedsByCount) {
  for (int i = 0; i < 8; ++i) Push("x");
  EXPECT_FALSE(path_.Exceeds(now_));
  Push("x");
  EXPECT_TRUE(path_.Exceeds(now_));
}

TEST_F(OutboundPathTest, ExceedsByAgeOfTheOldest) {
  Push("one");
  EXPECT_FALSE(path_.Exceeds(now_ + seconds(10)));
  EXPECT_TRUE(path_.Exceeds(now_ + seconds(11)));
  Flush(2);
  EXPECT_TRUE(path_.Exceeds(now_ + seconds(11)));  // a byte now and then is no reading

  now_ += seconds(11);
  Push("two");
  Flush(3);
  EXPECT_FALSE(path_.Exceeds(now_));
}

TEST_F(OutboundPathTest, APongThatNobodyReadsHasAnAgeToo) {
  PushControl(kPong);
  Flush(1);
  EXPECT_FALSE(path_.Exceeds(now_ + seconds(10)));
  EXPECT_TRUE(path_.Exceeds(now_ + seconds(11)));
}

TEST_F(OutboundPathTest, DuringACatchUpProgressCountsNotAge) {
  ASSERT_TRUE(level_.TakePage());
  Push("one");
  Push("two");
  now_ += seconds(9);
  Flush(5);
  EXPECT_FALSE(path_.Exceeds(now_ + seconds(9)));
  EXPECT_TRUE(path_.Exceeds(now_ + seconds(11)));
}

TEST_F(OutboundPathTest, ANoIsFollowedByOneNoticeBelowAQuarter) {
  Push(std::string(396, 'x'));
  Push(std::string(196, 'x'));
  EXPECT_FALSE(level_.TakePage());
  EXPECT_FALSE(level_.TakeNotice());
  Flush(400);
  EXPECT_TRUE(level_.TakeNotice());
  EXPECT_FALSE(level_.TakeNotice());
  EXPECT_TRUE(level_.TakePage());
  Flush();
  EXPECT_FALSE(level_.TakeNotice());
}

// While the socket takes nothing, it isn't asked: the total must know all the same.
TEST_F(OutboundPathTest, TheTotalGrowsWithoutBeingWritten) {
  Push(std::string(98, 'x'));
  Flush(50);
  Push(std::string(98, 'x'));

  path_.Account();

  EXPECT_EQ(total_.Value(), 200);
  Flush();
  ExpectNothingHeld();
}

TEST_F(OutboundPathTest, SheddingKeepsWhatIsHalfOutAndAllIsAccountedFor) {
  Push(std::string(96, 'x'));
  Push(std::string(196, 'x'));
  Flush(1);
  EXPECT_EQ(total_.Value(), 298);
  path_.Shed();
  EXPECT_EQ(level_.bytes(), 98u);
  EXPECT_EQ(total_.Value(), 98);
  Flush();
  EXPECT_EQ(socket_.written, TextFrame(std::string(96, 'x')));
  ExpectNothingHeld();
}

}  // namespace
}  // namespace minichat::ws
