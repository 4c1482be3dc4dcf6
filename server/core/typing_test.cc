// Who is told that somebody types.
#include <gtest/gtest.h>

#include "server/core/core_test_support.h"

namespace minichat::core {
namespace {

using namespace std::chrono_literals;
using Told = std::vector<std::string>;

class TypingTest : public testing::Test {
 protected:
  TypingTest() {
    for (const char* name : {"n1", "n2", "n3"}) nodes_.push_back(&cluster_.AddNode(name));
    cluster_.scheduler.Advance(7s);
    ann_ = In(0, "ann");
    bob_ = In(0, "bob");
    cleo_ = In(1, "cleo");
    Pass(5s);  // the nodes know where the room is
    for (auto* client : {&ann_, &bob_, &cleo_}) (*client)->link->told.clear();
  }

  std::unique_ptr<FakeClient> In(std::size_t node, const std::string& user,
                                 const std::string& room = "general") {
    auto client = std::make_unique<FakeClient>(cluster_, *nodes_[node], user);
    Ok(client->Join(room));
    return client;
  }
  void Pass(Duration time) { cluster_.scheduler.Advance(time); }
  std::optional<ClientError> Type(std::size_t node, const FakeClient& client) {
    auto refusal = nodes_[node]->SetTyping(client.id, RoomId("general"));
    Pass(10ms);
    return refusal;
  }

  FakeCluster cluster_;
  std::vector<ChatNode*> nodes_;
  std::unique_ptr<FakeClient> ann_, bob_, cleo_;
};

TEST_F(TypingTest, IsToldToTheOtherSessionsOfTheRoomOnAllItsNodes) {
  auto eve = In(2, "eve", "elsewhere");
  auto laptop = In(0, "ann");

  EXPECT_FALSE(Type(0, *ann_));

  EXPECT_EQ(ann_->link->told, Told{});
  EXPECT_EQ(laptop->link->told, Told{"ann..."});
  EXPECT_EQ(bob_->link->told, Told{"ann..."});
  EXPECT_EQ(cleo_->link->told, Told{"ann..."});
  EXPECT_EQ(eve->link->told, Told{});
  EXPECT_EQ(cluster_.relay.typing_calls, 1);  // n3 has nobody in the room
}

TEST_F(TypingTest, CrossesNodesOnceASecondForEachUser) {
  for (int i = 0; i < 9; ++i) Type(0, *ann_);
  Type(0, *bob_);
  EXPECT_EQ(cluster_.relay.typing_calls, 2);
  EXPECT_EQ(cleo_->link->told, (Told{"ann...", "bob..."}));
  EXPECT_EQ(cluster_.metrics.typing_repeats.Value(), 8);

  Pass(1s);
  Type(0, *ann_);

  EXPECT_EQ(cluster_.relay.typing_calls, 3);
}

TEST_F(TypingTest, IsRefusedOutsideTheRoom) {
  FakeClient eve(cluster_, *nodes_[0], "eve");

  const auto refusal = Type(0, eve);

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, ErrorCode::kNotMember);
  EXPECT_EQ(bob_->link->told, Told{});
}

TEST_F(TypingTest, ANoticeForAnotherIncarnationIsIgnored) {
  const Typing typing{RoomId("general"), UserId("eve")};

  nodes_[0]->OnTyping(Incarnation("n1.old"), typing);
  EXPECT_EQ(ann_->link->told, Told{});
  nodes_[0]->OnTyping(nodes_[0]->self().incarnation, typing);

  EXPECT_EQ(ann_->link->told, Told{"eve..."});
}

TEST_F(TypingTest, ANoticeForARoomThatIsNotHereIsIgnored) {
  nodes_[2]->OnTyping(nodes_[2]->self().incarnation, {RoomId("general"), UserId("eve")});

  EXPECT_EQ(ann_->link->told, Told{});
}

TEST_F(TypingTest, IsNotPassedOnInCrowdedRooms) {
  std::vector<std::unique_ptr<FakeClient>> crowd;
  for (std::size_t i = 0; i < cluster_.options.presence_sessions; ++i) {
    crowd.push_back(In(2, "u" + std::to_string(i)));
  }
  Pass(2s);
  ann_->link->told.clear();
  bob_->link->told.clear();

  EXPECT_FALSE(Type(0, *ann_));

  EXPECT_EQ(bob_->link->told, Told{});
  EXPECT_EQ(cluster_.metrics.typing_crowded.Value(), 1);
}

}  // namespace
}  // namespace minichat::core
