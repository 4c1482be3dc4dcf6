#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "server/core/ports/room_store.h"
#include "storage/contract/harness.h"

namespace minichat::contract {

// What every RoomStore does. Include it in one file of a test program, and instantiate it with the
// implementation's harness.
class RoomStoreContract : public testing::TestWithParam<MakeStoresHarness> {
 protected:
  using Users = std::vector<core::UserId>;

  void SetUp() override {
    harness_ = GetParam()();
    if (harness_ == nullptr) GTEST_SKIP() << "its service is not installed";
    ASSERT_TRUE(harness_->RunUntil([this] { return harness_->store().available(); }));
  }

  core::RoomStore& store() { return harness_->room_store(); }
  Deadline Soon() { return Deadline::After(harness_->scheduler(), std::chrono::seconds(5)); }

  template <class T>
  T Ask(const std::function<void(Callback<Result<T>>)>& start) {
    auto answer = harness_->Await<Result<T>>(start);
    EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    return answer.ok() ? std::move(*answer) : T();
  }
  bool Create(const std::string& room, const Users& members = {}) {
    return Ask<bool>([&](auto done) {
      store().CreateRoom(core::RoomId(room), members, Soon(), std::move(done));
    });
  }
  core::MemberChange Add(const std::string& room, const std::string& user) {
    return Ask<core::MemberChange>([&](auto done) {
      store().AddMember(core::RoomId(room), core::UserId(user), Soon(), std::move(done));
    });
  }
  core::MemberChange Remove(const std::string& room, const std::string& user) {
    return Ask<core::MemberChange>([&](auto done) {
      store().RemoveMember(core::RoomId(room), core::UserId(user), Soon(), std::move(done));
    });
  }
  core::Standing StandingOf(const std::string& room, const std::string& user) {
    return Ask<core::Standing>([&](auto done) {
      store().StandingOf(core::RoomId(room), core::UserId(user), Soon(), std::move(done));
    });
  }
  core::MembersPage Members(const std::string& room, const std::string& after = "",
                            std::size_t limit = 100) {
    return Ask<core::MembersPage>([&](auto done) {
      store().Members({core::RoomId(room), core::UserId(after), limit}, Soon(), std::move(done));
    });
  }
  void Revoke(const std::string& user, std::int64_t before_ms) {
    const Status status = harness_->Await<Status>([&](auto done) {
      store().Revoke({core::UserId(user), before_ms}, Soon(), std::move(done));
    });
    EXPECT_EQ(status, Status());
  }
  std::vector<core::Revocation> Revocations(std::int64_t since_ms) {
    return Ask<std::vector<core::Revocation>>(
        [&](auto done) { store().Revocations(since_ms, Soon(), std::move(done)); });
  }
  static Users UsersOf(const std::vector<std::string>& names) {
    return Users(names.begin(), names.end());
  }

  std::unique_ptr<StoresHarness> harness_;
};

TEST_P(RoomStoreContract, RoomIsMadeOnceWithItsMembers) {
  EXPECT_EQ(StandingOf("team", "ann"), core::Standing::kNoRoom);

  EXPECT_TRUE(Create("team", UsersOf({"ann", "bob", "ann"})));

  EXPECT_EQ(StandingOf("team", "ann"), core::Standing::kMember);
  EXPECT_EQ(StandingOf("team", "eve"), core::Standing::kStranger);
  EXPECT_FALSE(Create("team", UsersOf({"eve"})));
  EXPECT_EQ(StandingOf("team", "eve"), core::Standing::kStranger);
}

TEST_P(RoomStoreContract, MembersComeAndGo) {
  Create("team");

  EXPECT_EQ(Add("team", "ann"), core::MemberChange::kChanged);
  EXPECT_EQ(Add("team", "ann"), core::MemberChange::kUnchanged);
  EXPECT_EQ(StandingOf("team", "ann"), core::Standing::kMember);

  EXPECT_EQ(Remove("team", "ann"), core::MemberChange::kChanged);
  EXPECT_EQ(Remove("team", "ann"), core::MemberChange::kUnchanged);
  EXPECT_EQ(StandingOf("team", "ann"), core::Standing::kStranger);
}

TEST_P(RoomStoreContract, MissingRoomHasNoMembers) {
  EXPECT_EQ(Add("none", "ann"), core::MemberChange::kNoRoom);
  EXPECT_EQ(Remove("none", "ann"), core::MemberChange::kNoRoom);
  EXPECT_TRUE(Members("none").no_room);
}

TEST_P(RoomStoreContract, MembersAreListedInPagesByTheBytesOfTheirNames) {
  Create("team", UsersOf({"b", "a", "_", "A", "c"}));
  Create("other", UsersOf({"z"}));

  EXPECT_EQ(Members("team").users, UsersOf({"A", "_", "a", "b", "c"}));
  EXPECT_EQ(Members("team", "", 2).users, UsersOf({"A", "_"}));
  EXPECT_EQ(Members("team", "_", 2).users, UsersOf({"a", "b"}));
  EXPECT_EQ(Members("team", "c", 2).users, Users());
  EXPECT_FALSE(Members("team", "c", 2).no_room);
}

TEST_P(RoomStoreContract, TheLatestRevocationOfAUserCounts) {
  Revoke("ann", 1'700'000'000'500);
  Revoke("ann", 1'700'000'000'200);
  Revoke("bob", 1'600'000'000'000);

  EXPECT_THAT(Revocations(0), testing::UnorderedElementsAre(
                                  core::Revocation{core::UserId("ann"), 1'700'000'000'500},
                                  core::Revocation{core::UserId("bob"), 1'600'000'000'000}));
  EXPECT_THAT(Revocations(1'650'000'000'000),
              testing::ElementsAre(core::Revocation{core::UserId("ann"), 1'700'000'000'500}));
}

}  // namespace minichat::contract
