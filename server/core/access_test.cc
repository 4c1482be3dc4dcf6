// Private rooms, kicks and revocations across nodes.
#include <gtest/gtest.h>

#include "server/core/core_test_support.h"
#include "server/core/moderation.h"

namespace minichat::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kOneBeat = milliseconds(1'500);  // and what follows it

// Lets answers about members come late.
class SlowRoomStore final : public RoomStore {
 public:
  explicit SlowRoomStore(RoomStore& store) : store_(store) {}

  void Hold() { holding_ = true; }
  void Release() {
    holding_ = false;
    for (const auto& answer : std::exchange(held_, {})) answer();
  }

  void StandingOf(const RoomId& room, const UserId& user, Deadline deadline,
                  Callback<Result<Standing>> done) override {
    store_.StandingOf(room, user, deadline, [this, done](Result<Standing> standing) {
      if (!holding_) return done(std::move(standing));
      held_.push_back([done, standing] { done(standing); });
    });
  }
  void CreateRoom(const RoomId& room, std::vector<UserId> members, Deadline deadline,
                  Callback<Result<bool>> done) override {
    store_.CreateRoom(room, std::move(members), deadline, std::move(done));
  }
  void AddMember(const RoomId& room, const UserId& user, Deadline deadline,
                 Callback<Result<MemberChange>> done) override {
    store_.AddMember(room, user, deadline, std::move(done));
  }
  void RemoveMember(const RoomId& room, const UserId& user, Deadline deadline,
                    Callback<Result<MemberChange>> done) override {
    store_.RemoveMember(room, user, deadline, std::move(done));
  }
  void Members(const MembersRequest& request, Deadline deadline,
               Callback<Result<MembersPage>> done) override {
    store_.Members(request, deadline, std::move(done));
  }
  void Revoke(const Revocation& revocation, Deadline deadline, Callback<Status> done) override {
    store_.Revoke(revocation, deadline, std::move(done));
  }
  void Revocations(std::int64_t since_ms, Deadline deadline,
                   Callback<Result<std::vector<Revocation>>> done) override {
    store_.Revocations(since_ms, deadline, std::move(done));
  }

 private:
  RoomStore& store_;
  std::vector<std::function<void()>> held_;
  bool holding_ = false;
};

// Two nodes; only rooms whose name begins with "open" are open.
class AccessTest : public testing::Test {
 protected:
  AccessTest() {
    cluster_.options.open_rooms = {"open*"};
    for (const char* name : {"n1", "n2"}) nodes_.push_back(&cluster_.AddNode(name));
    cluster_.scheduler.Advance(seconds(3));
  }

  template <class T>
  T Await(const std::function<void(Callback<T>)>& start) {
    std::optional<T> answer;
    start([&answer](T value) { answer = std::move(value); });
    cluster_.scheduler.Advance(milliseconds(50));
    CHECK(answer.has_value());
    return std::move(*answer);
  }
  ClientResult<bool> Create(const std::string& room, std::vector<UserId> members = {}) {
    return Await<ClientResult<bool>>(
        [&](auto done) { nodes_[0]->moderation().CreateRoom(RoomId(room), members, done); });
  }
  ClientResult<bool> Remove(const std::string& room, const std::string& user) {
    return Await<ClientResult<bool>>(
        [&](auto done) { nodes_[0]->moderation().RemoveMember(RoomId(room), UserId(user), done); });
  }
  ClientResult<bool> Add(const std::string& room, const std::string& user) {
    return Await<ClientResult<bool>>(
        [&](auto done) { nodes_[0]->moderation().AddMember(RoomId(room), UserId(user), done); });
  }
  Status Revoke(const std::string& user) {
    return Await<Status>([&](auto done) { nodes_[0]->moderation().Revoke(UserId(user), done); });
  }
  void Kick(const UserId& user, const SessionId& session) {
    const AccessChange whom{AccessChange::Kind::kKicked, user, {}, session, 0};
    EXPECT_EQ(Status(),
              Await<Status>([&](auto done) { nodes_[0]->moderation().Kick(whom, done); }));
  }
  std::int64_t now_ms() { return cluster_.scheduler.WallMillis(); }

  FakeCluster cluster_;
  std::vector<ChatNode*> nodes_;
};

TEST_F(AccessTest, OnlyMembersEnterAndAMissingRoomLooksLikeAPrivateOne) {
  Create("team", {UserId("ann")});
  FakeClient ann(cluster_, *nodes_[0], "ann");
  FakeClient eve(cluster_, *nodes_[1], "eve");

  EXPECT_EQ(Ok(ann.Join("team")).room, RoomId("team"));
  const auto refused = eve.Join("team");
  const auto missing = eve.Join("none");

  EXPECT_EQ(CodeOf(refused), ErrorCode::kForbidden);
  EXPECT_EQ(CodeOf(missing), ErrorCode::kForbidden);
  EXPECT_EQ(std::get<ClientError>(*refused).message, "room: you may not enter \"team\"");
  EXPECT_EQ(std::get<ClientError>(*missing).message, "room: you may not enter \"none\"");
  EXPECT_EQ(CodeOf(eve.Send("team", "c1", "hi")), ErrorCode::kNotMember);
  EXPECT_EQ(CodeOf(eve.History({RoomId("team"), {}, {}, 10})), ErrorCode::kNotMember);
}

TEST_F(AccessTest, NewMemberMayEnterAtOnce) {
  Create("team");
  FakeClient bob(cluster_, *nodes_[1], "bob");
  EXPECT_EQ(CodeOf(bob.Join("team")), ErrorCode::kForbidden);

  EXPECT_EQ(std::get<bool>(Add("team", "bob")), true);
  EXPECT_EQ(std::get<bool>(Add("team", "bob")), false);

  Ok(bob.Join("team"));
}

TEST_F(AccessTest, MemberRemovedWhileJoinedHearsOfItAndGetsNothingMore) {
  Create("team", {UserId("ann"), UserId("bob")});
  FakeClient ann(cluster_, *nodes_[0], "ann");
  FakeClient bob(cluster_, *nodes_[1], "bob");
  Ok(ann.Join("team"));
  Ok(bob.Join("team"));
  Ok(ann.Send("team", "c1", "before"));

  EXPECT_EQ(std::get<bool>(Remove("team", "bob")), true);
  cluster_.scheduler.Advance(kOneBeat);
  Ok(ann.Send("team", "c2", "after"));
  cluster_.scheduler.Advance(seconds(3));

  EXPECT_EQ(bob.link->removed, std::vector<std::string>{"team"});
  EXPECT_EQ(bob.link->got, std::vector<std::string>{"1:before"});
  EXPECT_EQ(CodeOf(bob.Send("team", "c3", "still here?")), ErrorCode::kNotMember);
  EXPECT_EQ(CodeOf(bob.Join("team")), ErrorCode::kForbidden);
  EXPECT_EQ(ann.link->got.size(), 2u);
}

// She was a member when her join asked, and is none when the answer comes.
TEST_F(AccessTest, MemberRemovedWhileSheJoinsDoesNotGetIn) {
  Create("team", {UserId("ann"), UserId("bob")});
  SlowRoomStore slow(cluster_.room_store);
  ChatNode& node = cluster_.AddNode("n3", &slow);
  cluster_.scheduler.Advance(seconds(3));
  FakeClient ann(cluster_, *nodes_[0], "ann");
  FakeClient bob(cluster_, node, "bob");
  Ok(ann.Join("team"));
  std::optional<ClientResult<JoinReply>> reply;
  slow.Hold();
  node.Join(bob.id, RoomId("team"), std::nullopt,
            [&reply](ClientResult<JoinReply> got) { reply = std::move(got); });

  EXPECT_EQ(std::get<bool>(Remove("team", "bob")), true);
  cluster_.scheduler.Advance(kOneBeat);
  EXPECT_FALSE(reply.has_value());
  slow.Release();
  cluster_.scheduler.Advance(milliseconds(200));

  ASSERT_TRUE(reply.has_value());
  ASSERT_TRUE(std::holds_alternative<ClientError>(*reply)) << "she got in";
  EXPECT_EQ(CodeOf(reply), ErrorCode::kForbidden);
  Ok(ann.Send("team", "c1", "between us"));
  cluster_.scheduler.Advance(seconds(3));
  EXPECT_TRUE(bob.link->got.empty());
  EXPECT_EQ(cluster_.relay.calls, 0);  // no route is left behind
  EXPECT_EQ(CodeOf(bob.Send("team", "c2", "hi")), ErrorCode::kNotMember);
}

// The same with a member who stays: what happens to others costs her nothing.
TEST_F(AccessTest, MemberWhoStaysGetsInWhileAnotherIsRemoved) {
  Create("team", {UserId("ann"), UserId("bob")});
  SlowRoomStore slow(cluster_.room_store);
  ChatNode& node = cluster_.AddNode("n3", &slow);
  cluster_.scheduler.Advance(seconds(3));
  FakeClient ann(cluster_, node, "ann");
  std::optional<ClientResult<JoinReply>> reply;
  slow.Hold();
  node.Join(ann.id, RoomId("team"), std::nullopt,
            [&reply](ClientResult<JoinReply> got) { reply = std::move(got); });

  Remove("team", "bob");
  cluster_.scheduler.Advance(kOneBeat);
  slow.Release();
  cluster_.scheduler.Advance(milliseconds(200));

  EXPECT_EQ(Ok(reply).room, RoomId("team"));
}

TEST_F(AccessTest, RemovalIsNoticedAlsoWhenTheDirectoryForgotIt) {
  Create("team", {UserId("bob")});
  FakeClient bob(cluster_, *nodes_[1], "bob");
  Ok(bob.Join("team"));

  Remove("team", "bob");
  for (std::size_t i = 0; i < DirectoryLimits().access_changes; ++i) Kick(UserId("nobody"), {});
  cluster_.scheduler.Advance(kOneBeat);

  EXPECT_EQ(bob.link->removed, std::vector<std::string>{"team"});
}

TEST_F(AccessTest, KickEndsASessionOrAllOfAUserOnEveryNode) {
  FakeClient one(cluster_, *nodes_[0], "ann");
  FakeClient two(cluster_, *nodes_[1], "ann");
  FakeClient three(cluster_, *nodes_[1], "ann");
  FakeClient other(cluster_, *nodes_[1], "bob");

  Kick({}, three.id);
  cluster_.scheduler.Advance(kOneBeat);
  EXPECT_EQ(three.link->ended, SessionEnd::kKicked);
  EXPECT_FALSE(two.link->ended.has_value());

  Kick(UserId("ann"), {});
  cluster_.scheduler.Advance(kOneBeat);
  EXPECT_EQ(one.link->ended, SessionEnd::kKicked);
  EXPECT_EQ(two.link->ended, SessionEnd::kKicked);
  EXPECT_FALSE(other.link->ended.has_value());
}

TEST_F(AccessTest, RevokedTokenEndsItsSessionsAndOpensNoMore) {
  const std::int64_t before = now_ms();
  FakeClient old(cluster_, *nodes_[1], "ann", before);
  FakeClient insecure(cluster_, *nodes_[1], "ann");

  EXPECT_EQ(Revoke("ann"), Status());
  cluster_.scheduler.Advance(kOneBeat);

  EXPECT_EQ(old.link->ended, SessionEnd::kRevoked);
  EXPECT_FALSE(insecure.link->ended.has_value());
  const auto link = std::make_shared<FakeClientLink>();
  const auto again = nodes_[1]->OpenSession({UserId("ann"), before}, link);
  EXPECT_EQ(std::get<ClientError>(again).code, ErrorCode::kUnauthorized);
  EXPECT_TRUE(std::holds_alternative<SessionId>(
      nodes_[1]->OpenSession({UserId("ann"), now_ms() + 1000}, link)));
}

TEST_F(AccessTest, RenewalWithARevokedTokenIsRefused) {
  FakeClient ann(cluster_, *nodes_[1], "ann", now_ms() + 10'000);
  EXPECT_EQ(Revoke("ann"), Status());
  cluster_.scheduler.Advance(kOneBeat);

  EXPECT_EQ(nodes_[1]->RenewSession(ann.id, now_ms() + 20'000), std::nullopt);
  EXPECT_EQ(nodes_[1]->RenewSession(ann.id, 0)->code, ErrorCode::kUnauthorized);
}

TEST_F(AccessTest, ANodeThatStartsLaterKnowsOldRevocations) {
  const std::int64_t before = now_ms();
  EXPECT_EQ(Revoke("ann"), Status());
  ChatNode& late = cluster_.AddNode("n3");
  cluster_.scheduler.Advance(kOneBeat);

  const auto refused =
      late.OpenSession({UserId("ann"), before}, std::make_shared<FakeClientLink>());

  EXPECT_EQ(std::get<ClientError>(refused).code, ErrorCode::kUnauthorized);
}

TEST_F(AccessTest, OpenRoomsHaveNoMembersAndMissingOnesAreTold) {
  EXPECT_EQ(std::get<ClientError>(Create("open1")).code, ErrorCode::kBadRequest);
  EXPECT_EQ(std::get<ClientError>(Add("none", "ann")).code, ErrorCode::kNoSuchRoom);
  EXPECT_EQ(std::get<ClientError>(Remove("none", "ann")).code, ErrorCode::kNoSuchRoom);
  EXPECT_TRUE(std::get<bool>(Create("team")));
  EXPECT_FALSE(std::get<bool>(Create("team")));
}

TEST_F(AccessTest, PublishingNeedsARoomButNoSession) {
  Create("team", {UserId("ann")});
  FakeClient ann(cluster_, *nodes_[1], "ann");
  Ok(ann.Join("team"));
  const auto publish = [&](const std::string& room, const std::string& cid) {
    return Await<ClientResult<Ack>>([&](auto done) {
      const SendRequest request{RoomId(room), ClientMessageId(cid), BodyKind::kText, "news", false};
      nodes_[0]->moderation().Publish(UserId("robot"), request, done);
    });
  };

  EXPECT_EQ(std::get<Ack>(publish("team", "c1")).seq, 1u);
  EXPECT_TRUE(std::get<Ack>(publish("team", "c1")).duplicate);
  EXPECT_EQ(std::get<ClientError>(publish("none", "c1")).code, ErrorCode::kNoSuchRoom);
  EXPECT_EQ(ann.link->got, std::vector<std::string>{"1:news"});

  const auto page = Await<ClientResult<HistoryPage>>([&](auto done) {
    nodes_[0]->ReadRoom({RoomId("team"), {}, {}, 10}, done);
  });
  EXPECT_EQ(std::get<HistoryPage>(page).messages.size(), 1u);
}

}  // namespace
}  // namespace minichat::core
