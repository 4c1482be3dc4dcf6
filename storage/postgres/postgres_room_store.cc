#include "storage/postgres/postgres_room_store.h"

#include <string>
#include <utility>

#include "storage/postgres/pool_calls.h"
#include "storage/postgres/postgres_client.h"
#include "storage/postgres/statements.h"

namespace minichat::postgres {
namespace {

using core::MemberChange;
using core::RoomId;
using core::Standing;
using core::UserId;

// Locks the room against its end; false: there is none.
bool HoldRoom(pqxx::work& transaction, const std::string& room) {
  return !transaction.exec_prepared(kHoldRoom, room).empty();
}

MemberChange ChangeMember(pqxx::work& transaction, const char* statement, const std::string& room,
                          const std::string& user) {
  if (!HoldRoom(transaction, room)) return MemberChange::kNoRoom;
  const pqxx::result changed = transaction.exec_prepared(statement, room, user);
  return changed.affected_rows() == 0 ? MemberChange::kUnchanged : MemberChange::kChanged;
}

Standing ReadStanding(pqxx::work& transaction, const std::string& room, const std::string& user) {
  const pqxx::result found = transaction.exec_prepared(kStanding, room, user);
  if (found.empty()) return Standing::kNoRoom;
  return found[0][0].as<bool>() ? Standing::kMember : Standing::kStranger;
}

core::MembersPage ReadMembers(pqxx::work& transaction, const core::MembersRequest& request) {
  if (!HoldRoom(transaction, request.room.value())) return {.no_room = true, .users = {}};
  core::MembersPage page;
  for (const pqxx::row& row : transaction.exec_prepared(kMembers, request.room.value(),
                                                        request.after.value(), request.limit)) {
    page.users.emplace_back(row[0].as<std::string>());
  }
  return page;
}

}  // namespace

void PostgresRoomStore::CreateRoom(const RoomId& room, std::vector<UserId> members,
                                   Deadline deadline, Callback<Result<bool>> done) {
  Transact<bool>(
      client_.pool(), deadline,
      [room = room.value(), members = std::move(members)](pqxx::work& transaction) {
        if (transaction.exec_prepared(kCreateRoom, room).affected_rows() == 0) return false;
        for (const UserId& user : members) {
          transaction.exec_prepared0(kAddMember, room, user.value());
        }
        return true;
      },
      std::move(done));
}

void PostgresRoomStore::AddMember(const RoomId& room, const UserId& user, Deadline deadline,
                                  Callback<Result<MemberChange>> done) {
  Transact<MemberChange>(
      client_.pool(), deadline,
      [room = room.value(), user = user.value()](pqxx::work& transaction) {
        return ChangeMember(transaction, kAddMember, room, user);
      },
      std::move(done));
}

void PostgresRoomStore::RemoveMember(const RoomId& room, const UserId& user, Deadline deadline,
                                     Callback<Result<MemberChange>> done) {
  Transact<MemberChange>(
      client_.pool(), deadline,
      [room = room.value(), user = user.value()](pqxx::work& transaction) {
        return ChangeMember(transaction, kRemoveMember, room, user);
      },
      std::move(done));
}

void PostgresRoomStore::StandingOf(const RoomId& room, const UserId& user, Deadline deadline,
                                   Callback<Result<Standing>> done) {
  Transact<Standing>(
      client_.pool(), deadline,
      [room = room.value(), user = user.value()](pqxx::work& transaction) {
        return ReadStanding(transaction, room, user);
      },
      std::move(done));
}

void PostgresRoomStore::Members(const core::MembersRequest& request, Deadline deadline,
                                Callback<Result<core::MembersPage>> done) {
  Transact<core::MembersPage>(
      client_.pool(), deadline,
      [request](pqxx::work& transaction) { return ReadMembers(transaction, request); },
      std::move(done));
}

void PostgresRoomStore::Revoke(const core::Revocation& revocation, Deadline deadline,
                               Callback<Status> done) {
  TransactStatus(
      client_.pool(), deadline,
      [revocation](pqxx::work& transaction) {
        transaction.exec_prepared0(kRevoke, revocation.user.value(), revocation.before_ms);
      },
      std::move(done));
}

void PostgresRoomStore::Revocations(std::int64_t since_ms, Deadline deadline,
                                    Callback<Result<std::vector<core::Revocation>>> done) {
  Transact<std::vector<core::Revocation>>(
      client_.pool(), deadline,
      [since_ms](pqxx::work& transaction) {
        std::vector<core::Revocation> all;
        for (const pqxx::row& row : transaction.exec_prepared(kRevocations, since_ms)) {
          all.push_back({UserId(row[0].as<std::string>()), row[1].as<std::int64_t>()});
        }
        return all;
      },
      std::move(done));
}

}  // namespace minichat::postgres
