#pragma once

#include <vector>

#include "server/core/ports/room_store.h"

namespace minichat::postgres {

class PostgresClient;

// Private rooms, members and revocations in PostgreSQL, made by PostgresMigrator.
//
// Lifetime:  used while the client is started.
// Threading: as the port.
// Errors:    as the port.
// Limits:    the client's; above, ResourceExhausted at once.
class PostgresRoomStore final : public core::RoomStore {
 public:
  explicit PostgresRoomStore(PostgresClient& client) : client_(client) {}

  void CreateRoom(const core::RoomId& room, std::vector<core::UserId> members, Deadline deadline,
                  Callback<Result<bool>> done) override;
  void AddMember(const core::RoomId& room, const core::UserId& user, Deadline deadline,
                 Callback<Result<core::MemberChange>> done) override;
  void RemoveMember(const core::RoomId& room, const core::UserId& user, Deadline deadline,
                    Callback<Result<core::MemberChange>> done) override;
  void StandingOf(const core::RoomId& room, const core::UserId& user, Deadline deadline,
                  Callback<Result<core::Standing>> done) override;
  void Members(const core::MembersRequest& request, Deadline deadline,
               Callback<Result<core::MembersPage>> done) override;
  void Revoke(const core::Revocation& revocation, Deadline deadline,
              Callback<Status> done) override;
  void Revocations(std::int64_t since_ms, Deadline deadline,
                   Callback<Result<std::vector<core::Revocation>>> done) override;

 private:
  PostgresClient& client_;
};

}  // namespace minichat::postgres
