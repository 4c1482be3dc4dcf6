// Routes whose sessions are gone don't stay.
#include "server/core/route_dropper.h"

#include <gtest/gtest.h>

#include "server/core/core_test_support.h"

namespace minichat::core {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

class RouteDropperTest : public testing::Test {
 protected:
  RouteDropperTest() : node_(cluster_.AddNode("n1")) { Pass(3s); }

  void Pass(Duration time) { cluster_.scheduler.Advance(time); }
  std::vector<Route> Routes() {
    std::optional<Result<RoomRoutes>> routes;
    cluster_.directory.Routes(room_, 1, Deadline::After(cluster_.scheduler, 1s),
                              [&](Result<RoomRoutes> got) { routes = std::move(got); });
    Pass(1ms);
    return (*routes)->routes;
  }
  Names Users() {
    Names users;
    for (const Route& route : Routes()) users.push_back(route.user.value());
    return users;
  }

  FakeCluster cluster_;
  ChatNode& node_;
  const RoomId room_{"general"};
};

TEST_F(RouteDropperTest, WhatCouldNotBeDroppedIsDroppedLater) {
  FakeClient ann(cluster_, node_, "ann"), bob(cluster_, node_, "bob");
  Ok(ann.Join("general"));
  Ok(bob.Join("general"));
  cluster_.directory.failing = true;
  ann.Close();
  Pass(5s);
  cluster_.directory.failing = false;
  ASSERT_EQ(Routes().size(), 2u);

  Pass(2s);

  EXPECT_EQ(Users(), Names{"bob"});
}

TEST_F(RouteDropperTest, ALostLeaveIsDoneLaterToo) {
  FakeClient ann(cluster_, node_, "ann");
  Ok(ann.Join("general"));
  cluster_.directory.failing = true;
  node_.Leave(ann.id, room_, [](const auto&) {});
  Pass(100ms);
  cluster_.directory.failing = false;
  ASSERT_EQ(Routes().size(), 1u);

  Pass(2s);

  EXPECT_TRUE(Routes().empty());
}

TEST_F(RouteDropperTest, AJoinWhoseAnswerWasLostLeavesNothing) {
  FakeClient bob(cluster_, node_, "bob");
  Ok(bob.Join("general"));  // the room is warm
  FakeClient ann(cluster_, node_, "ann");
  cluster_.directory.failing = true;
  EXPECT_EQ(CodeOf(ann.Join("general")), ErrorCode::kUnavailable);
  cluster_.directory.failing = false;
  ASSERT_EQ(Routes().size(), 2u);

  Pass(2s);

  EXPECT_EQ(Users(), Names{"bob"});
}

TEST_F(RouteDropperTest, ASessionThatHasJoinedMeanwhileStays) {
  FakeClient bob(cluster_, node_, "bob");
  Ok(bob.Join("general"));
  FakeClient ann(cluster_, node_, "ann");
  cluster_.directory.failing = true;
  EXPECT_EQ(CodeOf(ann.Join("general")), ErrorCode::kUnavailable);
  cluster_.directory.failing = false;
  ASSERT_EQ(Routes().size(), 2u);
  Ok(ann.Join("general"));

  Pass(3s);

  EXPECT_EQ(Routes().size(), 2u);
}

TEST_F(RouteDropperTest, AboveItsBoundTheNodeLeavesAllBehindAsAnotherIncarnation) {
  FakeClient bob(cluster_, node_, "bob");
  Ok(bob.Join("general"));
  std::vector<std::unique_ptr<FakeClient>> users;
  for (std::size_t i = 0; i <= RouteDropper::kMaxLeft; ++i) {
    users.push_back(std::make_unique<FakeClient>(cluster_, node_, "ann"));
    node_.Join(users.back()->id, room_, {}, [](const auto&) {});
  }
  Pass(50ms);
  const Incarnation before = node_.self().incarnation;
  cluster_.directory.failing = true;
  for (const auto& user : users) node_.CloseSession(user->id);
  Pass(100ms);
  cluster_.directory.failing = false;
  ASSERT_EQ(Routes().size(), RouteDropper::kMaxLeft + 2);

  Pass(60s);  // the janitor removes a thousand each time

  EXPECT_NE(node_.self().incarnation, before);
  EXPECT_TRUE(node_.ready());
  EXPECT_EQ(Users(), Names{"bob"});
}

}  // namespace
}  // namespace minichat::core
