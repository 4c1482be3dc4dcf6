#pragma once

#include <string>

#include "server/base/status.h"

namespace minichat::postgres {

// Brings a database to this binary's schema: applies the files of storage/postgres/migrations,
// which are built in, in their order, each once. For `minichat migrate`, and for start-up's check.
//
// Lifetime:  any. Threading: thread-compatible; blocks. Several may run at once, on any machine:
//            an advisory lock makes them one after the other.
// Errors:    Unavailable: Postgres is away. FailedPrecondition: the database is newer than this
//            binary (Check(): or older). A migration that fails leaves the version before it.
class PostgresMigrator {
 public:
  explicit PostgresMigrator(std::string url) : url_(std::move(url)) {}

  // The version reached.
  Result<int> Migrate();
  // OK when the database has exactly this binary's schema.
  Status Check();

 private:
  const std::string url_;
};

}  // namespace minichat::postgres
