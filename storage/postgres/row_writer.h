#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "server/core/ports/history_store.h"
#include "storage/postgres/pg_session.h"

// Private to storage/postgres.
namespace minichat::postgres {

// Writes one batch of rows: all in one transaction; when the server refuses the data, by halves
// until the bad rows are alone, and those go to the dead letters.
//
// Lifetime:  one batch; the rows outlive it.
// Threading: confined to the thread that has the session.
class RowWriter {
 public:
  RowWriter(PgSession& session, std::string topic, core::Generation generation, Deadline deadline)
      : session_(session), topic_(std::move(topic)), generation_(generation), deadline_(deadline) {}

  Result<core::InsertReply> Write(const std::vector<core::NewRow>& rows);

 private:
  struct Entry {
    std::size_t index;  // in the batch as it was given
    const core::NewRow* row;
  };
  using Entries = std::span<const Entry>;

  struct Outcome {
    bool fenced = false;
    std::vector<std::size_t> taken;  // their place holds another id
  };

  // In key order and each key once; rows that can't be stored as they are go to `bad`.
  static std::vector<Entry> Sort(const std::vector<core::NewRow>& rows, std::vector<Entry>* bad,
                                 std::vector<Entry>* twins);
  Status WriteOrSplit(Entries entries);
  Result<Outcome> WriteAll(Entries entries);
  Outcome WriteIn(pqxx::work& transaction, Entries entries) const;
  std::vector<std::size_t> BuryTaken(pqxx::work& transaction, Entries entries) const;
  Status Bury(Entries entries, const std::string& error);

  PgSession& session_;
  const std::string topic_;
  const core::Generation generation_;
  const Deadline deadline_;
  core::InsertReply reply_;
};

// Adds `letters` in `transaction`; those that are there stay as they are.
struct Letter {
  std::optional<std::int64_t> partition;
  std::optional<std::int64_t> offset;
  std::string error;
  std::string raw;
  // The place that a row had; none: it had none, or one that Postgres can't name.
  std::optional<std::string> room;
  std::optional<std::int64_t> seq;
};
void AddLetters(pqxx::work& transaction, const std::string& topic,
                const std::vector<Letter>& letters);

}  // namespace minichat::postgres
