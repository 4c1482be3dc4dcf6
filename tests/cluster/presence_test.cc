// Who is in a room, on real nodes: several devices, nodes that die, leave and come back.
#include <csignal>
#include <map>

#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

using loadtest::PresenceNews;
using News = std::vector<PresenceNews>;
using Users = std::map<std::string, Seq>;

constexpr seconds kTold{6};       // a sweep, the two seconds that a change is held, a slow machine
constexpr seconds kPromised{10};  // after a crash

class PresenceTest : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped() || HasFailure()) return;
    StartCluster();
    room_ = NewRoom();
    bob_ = OpenIn(0, "bob", room_);
    ASSERT_EQ(Who(), (Users{{"bob", 1}}));  // from now on bob is told what changes
  }

  // As bob sees it.
  Users Who() {
    const Reply reply = Await(*bob_, bob_->Who(room_));
    EXPECT_EQ(reply.op, "who") << reply.code;
    Users users;
    const auto* listed = reply.body.if_contains("users");
    if (listed == nullptr || !listed->is_array()) return users;
    for (const auto& value : listed->get_array()) {
      const Reply user{{}, {}, value.as_object(), {}};
      users[user.Text("user")] = user.Number("sessions");
    }
    return users;
  }
  const News& Told() { return bob_->room(room_).presence; }
  bool UntilTold(const News& news, milliseconds limit = kTold) {
    return Until([&] { return Told().size() >= news.size(); }, limit) && Told() == news;
  }

  std::string room_;
  std::unique_ptr<ChatSession> bob_;
};

TEST_F(PresenceTest, C06AUserIsThereUntilTheLastDeviceIsGone) {
  auto phone = OpenIn(1, "ann", room_);
  auto laptop = OpenIn(2, "ann", room_);
  EXPECT_EQ(Who(), (Users{{"ann", 2}, {"bob", 1}}));
  ASSERT_TRUE(UntilTold({{"ann", "online"}}));
  ASSERT_TRUE(SendAndWait(*bob_, room_, "c-1", "to both").ok());
  ASSERT_TRUE(Until([&] {
    return phone->room(room_).deliveries.size() == 1 && laptop->room(room_).deliveries.size() == 1;
  }));

  phone.reset();
  ASSERT_TRUE(Until([&] { return Who() == (Users{{"ann", 1}, {"bob", 1}}); }));
  ASSERT_TRUE(SendAndWait(*bob_, room_, "c-2", "to the other").ok());
  ASSERT_TRUE(Until([&] { return laptop->room(room_).deliveries.size() == 2; }));
  // What came later is told: the phone's end was no news.
  auto cleo = OpenIn(1, "cleo", room_);
  EXPECT_TRUE(UntilTold({{"ann", "online"}, {"cleo", "online"}}));
  laptop.reset();

  EXPECT_TRUE(UntilTold({{"ann", "online"}, {"cleo", "online"}, {"ann", "offline"}}));
  EXPECT_EQ(Who(), (Users{{"bob", 1}, {"cleo", 1}}));
}

TEST_F(PresenceTest, UsersOfAKilledNodeAreGoneWithinTenSeconds) {
  auto ann = OpenIn(1, "ann", room_);
  auto cleo = OpenIn(2, "cleo", room_);
  ASSERT_TRUE(Until([&] { return Told().size() == 2; }, kTold));

  cluster().node(1).Kill();
  const auto killed = Clock::now();
  const bool told = Until(
      [&] {
        return Told().size() == 3 && Told()[2] == PresenceNews{"ann", "offline"};
      },
      kPromised);
  const bool gone = Until([&] { return Who() == (Users{{"bob", 1}, {"cleo", 1}}); }, seconds(1));

  EXPECT_TRUE(told);
  EXPECT_TRUE(gone);
  EXPECT_LE(Clock::now() - killed, kPromised);
}

TEST_F(PresenceTest, ANodeThatLeavesTakesItsUsersWithItAtOnce) {
  auto ann = OpenIn(1, "ann", room_);
  ASSERT_TRUE(UntilTold({{"ann", "online"}}));

  EXPECT_EQ(cluster().node(1).Stop(), 0);

  EXPECT_EQ(Who(), (Users{{"bob", 1}}));
  EXPECT_TRUE(UntilTold({{"ann", "online"}, {"ann", "offline"}}));
}

TEST_F(PresenceTest, ANodeThatComesBackWipesAndInheritsNothing) {
  auto ann = OpenIn(1, "ann", room_);
  auto cleo = OpenIn(2, "cleo", room_);
  ASSERT_TRUE(Until([&] { return Told().size() == 2; }, kTold));
  const News before = Told();

  cluster().node(1).Kill();
  cluster().Restart(1);  // ready as soon as it may take its name back
  EXPECT_TRUE(Until([&] { return Who() == (Users{{"bob", 1}, {"cleo", 1}}); }, kPromised));
  News news = before;
  news.push_back({"ann", "offline"});
  EXPECT_TRUE(UntilTold(news, kPromised));
  auto again = OpenIn(1, "ann", room_);

  EXPECT_EQ(Who(), (Users{{"ann", 1}, {"bob", 1}, {"cleo", 1}}));
  news.push_back({"ann", "online"});
  EXPECT_TRUE(UntilTold(news));
}

TEST_F(PresenceTest, TypingReachesTheOthersOnAllNodes) {
  auto ann = OpenIn(1, "ann", room_);
  auto cleo = OpenIn(1, "cleo", room_);

  // The node learns within a second where the room's other sessions are.
  const auto reached = [&] {
    ann->Type(room_);
    return !bob_->room(room_).typing.empty() && !cleo->room(room_).typing.empty();
  };
  EXPECT_TRUE(Until(reached, seconds(10), milliseconds(100)));

  EXPECT_EQ(bob_->room(room_).typing[0], "ann");
  EXPECT_EQ(cleo->room(room_).typing[0], "ann");
  EXPECT_TRUE(ann->room(room_).typing.empty());
  EXPECT_TRUE(ann->stray_errors().empty());
}

}  // namespace
}  // namespace minichat::test
