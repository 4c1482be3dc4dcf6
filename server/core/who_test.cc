// Who is in a room.
#include <gtest/gtest.h>

#include "server/core/core_test_support.h"

namespace minichat::core {
namespace {

using namespace std::chrono_literals;
using Users = std::vector<std::pair<UserId, std::size_t>>;

class WhoTest : public testing::Test {
 protected:
  WhoTest() {
    cluster_.options.open_rooms = {"general"};
    cluster_.options.janitor = 1h;  // routes of dead nodes stay
    for (const char* name : {"n1", "n2"}) nodes_.push_back(&cluster_.AddNode(name));
    cluster_.scheduler.Advance(3s);
  }

  FakeClient& In(std::size_t node, const std::string& user) {
    clients_.push_back(std::make_unique<FakeClient>(cluster_, *nodes_[node], user));
    Ok(clients_.back()->Join("general"));
    return *clients_.back();
  }
  static Users Of(const std::vector<std::pair<std::string, std::size_t>>& users) {
    Users all;
    for (const auto& [user, sessions] : users) all.emplace_back(UserId(user), sessions);
    return all;
  }

  FakeCluster cluster_;
  std::vector<ChatNode*> nodes_;
  std::vector<std::unique_ptr<FakeClient>> clients_;
  const RoomId room_{"general"};
};

TEST_F(WhoTest, ListsUsersByNameWithTheirSessions) {
  FakeClient& bob = In(0, "bob");
  In(1, "ann");
  In(0, "ann");
  In(1, "Zoe");

  const WhoPage page = Ok(bob.Who({room_, {}}));

  EXPECT_EQ(page.users, Of({{"Zoe", 1}, {"ann", 2}, {"bob", 1}}));
  EXPECT_FALSE(page.next);
}

TEST_F(WhoTest, GoesOnWhereThePageEnded) {
  FakeClient& ann = In(0, "ann");
  for (const char* user : {"dan", "bob", "cleo", "bob"}) In(1, user);

  const WhoPage first = Ok(ann.Who({room_, UserId(), 2}));
  ASSERT_TRUE(first.next);
  const WhoPage second = Ok(ann.Who({room_, *first.next, 2}));
  const WhoPage behind = Ok(ann.Who({room_, UserId("dan"), 2}));

  EXPECT_EQ(first.users, Of({{"ann", 1}, {"bob", 2}}));
  EXPECT_EQ(*first.next, UserId("bob"));
  EXPECT_EQ(second.users, Of({{"cleo", 1}, {"dan", 1}}));
  EXPECT_FALSE(second.next);
  EXPECT_TRUE(behind.users.empty());
  EXPECT_FALSE(behind.next);
}

TEST_F(WhoTest, SeesALeaveAtOnce) {
  FakeClient& ann = In(0, "ann");
  In(1, "bob").Close();

  EXPECT_EQ(Ok(ann.Who({room_, {}})).users, Of({{"ann", 1}}));
}

TEST_F(WhoTest, LeavesOutUsersOfDeadNodesBeforeAnyoneHasCleanedUp) {
  FakeClient& ann = In(0, "ann");
  In(1, "bob");

  cluster_.nodes[1].reset();
  cluster_.scheduler.Advance(4s);
  EXPECT_EQ(Ok(ann.Who({room_, {}})).users, Of({{"ann", 1}, {"bob", 1}}));
  cluster_.scheduler.Advance(3s);

  EXPECT_EQ(Ok(ann.Who({room_, {}})).users, Of({{"ann", 1}}));
}

TEST_F(WhoTest, IsForSessionsInTheRoomOnly) {
  In(0, "ann");
  FakeClient eve(cluster_, *nodes_[0], "eve");

  EXPECT_EQ(CodeOf(eve.Who({room_, {}})), ErrorCode::kNotMember);
  EXPECT_EQ(CodeOf(eve.Who({RoomId("private-or-missing"), {}})), ErrorCode::kNotMember);
}

TEST_F(WhoTest, IsUnavailableWhileTheDirectoryIs) {
  FakeClient& ann = In(0, "ann");
  cluster_.directory.failing = true;

  EXPECT_EQ(CodeOf(ann.Who({room_, {}})), ErrorCode::kUnavailable);
  cluster_.directory.failing = false;
  EXPECT_EQ(Ok(ann.Who({room_, {}})).users.size(), 1u);
}

TEST_F(WhoTest, IsRefusedAboveItsBound) {
  FakeClient& ann = In(0, "ann");
  std::vector<ClientResult<WhoPage>> replies;
  for (std::size_t i = 0; i <= cluster_.options.max_waiting_whos; ++i) {
    nodes_[0]->Who(ann.id, {room_, {}}, [&](ClientResult<WhoPage> got) { replies.push_back(got); });
  }

  ASSERT_EQ(replies.size(), 1u);  // refused at once
  EXPECT_EQ(std::get<ClientError>(replies[0]).code, ErrorCode::kOverloaded);
  cluster_.scheduler.Advance(50ms);
  EXPECT_EQ(replies.size(), cluster_.options.max_waiting_whos + 1);
  EXPECT_TRUE(std::holds_alternative<WhoPage>(replies.back()));
}

}  // namespace
}  // namespace minichat::core
