#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/core/ports/history_store.h"

namespace minichat::postgres {

class PostgresClient;

// The rows in PostgreSQL, made by PostgresMigrator.
//
// Lifetime:  used while the client is started.
// Threading: as the port.
// Errors:    as the port. A lost connection is made anew, and what it left in doubt is done again,
//            within the call's deadline. A server that hangs costs the connection, not the thread.
// Limits:    the client's; above, ResourceExhausted at once.
class PostgresStore final : public core::HistoryStore {
 public:
  // `topic` is noted with dead letters.
  PostgresStore(PostgresClient& client, std::string topic)
      : client_(client), topic_(std::move(topic)) {}

  bool available() const override;
  void NextGeneration(const std::string& run_id, Deadline deadline,
                      Callback<Result<core::Generation>> done) override;
  void CurrentGeneration(Deadline deadline, Callback<Result<core::Generation>> done) override;
  void PrepareWarming(const core::RoomId& room, core::Generation generation, Deadline deadline,
                      Callback<Result<core::WarmingFacts>> done) override;
  void Lookup(const core::RoomId& room, const core::MessageId& id,
              std::optional<core::MessageId> variant, core::BodyHash hash, Deadline deadline,
              Callback<Result<std::optional<core::StoredRow>>> done) override;
  void Insert(std::vector<core::NewRow> rows, core::Generation generation, Deadline deadline,
              Callback<Result<core::InsertReply>> done) override;
  void Range(const core::RangeRequest& request, Deadline deadline,
             Callback<Result<std::vector<core::PlacedMessage>>> done) override;
  void AddDeadLetters(std::vector<core::DeadLetter> letters, Deadline deadline,
                      Callback<Status> done) override;

 private:
  PostgresClient& client_;
  const std::string topic_;
};

}  // namespace minichat::postgres
