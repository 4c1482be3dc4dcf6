#include "ws/flush_list.h"

#include <functional>
#include <string>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

class Recorder final : public Flushable {
 public:
  explicit Recorder(std::function<void()> on_turn_end) : on_turn_end_(std::move(on_turn_end)) {}
  void OnTurnEnd() override { on_turn_end_(); }

 private:
  const std::function<void()> on_turn_end_;
};

class FlushListTest : public testing::Test {
 protected:
  std::shared_ptr<Flushable> Writes(const std::string& what) {
    return std::make_shared<Recorder>([this, what] { log_ += what; });
  }

  boost::asio::io_context io_{1};
  FlushList list_{io_};
  std::string log_;
};

TEST_F(FlushListTest, FlushesOnceBehindAllThatWasReady) {
  const auto a = Writes("a"), b = Writes("b");
  boost::asio::post(io_, [&] {
    list_.Add(a);
    log_ += "1";
  });
  boost::asio::post(io_, [&] {
    list_.Add(b);
    log_ += "2";
  });

  io_.run();

  EXPECT_EQ(log_, "12ab");
}

TEST_F(FlushListTest, WhatAFlushAddsComesInTheNextTurn) {
  const auto second = Writes("2");
  list_.Add(std::make_shared<Recorder>([&] {
    list_.Add(second);
    log_ += "1";
  }));

  io_.run_one();
  EXPECT_EQ(log_, "1");
  io_.run();
  EXPECT_EQ(log_, "12");
}

TEST_F(FlushListTest, TheTimeStandsStillWithinATurn) {
  const auto before = FlushList::Clock::now();
  const auto now = list_.Now();
  EXPECT_GE(now, before);
  list_.Add(std::make_shared<Recorder>([&] { EXPECT_EQ(list_.Now(), now); }));
  EXPECT_EQ(list_.Now(), now);

  io_.run();

  EXPECT_GT(list_.Now(), now);
}

TEST_F(FlushListTest, ItKeepsWhatItIsToFlushAlive) {
  list_.Add(Writes("a"));

  io_.run();

  EXPECT_EQ(log_, "a");
}

}  // namespace
}  // namespace minichat::ws
