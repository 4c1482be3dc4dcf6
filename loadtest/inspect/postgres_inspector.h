#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/base/status.h"

namespace minichat::loadtest {

// A stored message.
struct StoredRow {
  std::uint64_t seq = 0;
  std::string id;
  std::string sender;
  std::string cid;
  std::string body;
};

// Reads the rows of a cluster's Postgres, from outside the product.
//
// Threading: thread-compatible. One connection per call; blocks.
class PostgresInspector {
 public:
  explicit PostgresInspector(std::string url) : url_(std::move(url)) {}

  // Ascending by seq.
  Result<std::vector<StoredRow>> Rows(const std::string& room) const;
  Result<std::uint64_t> CountRows(const std::vector<std::string>& rooms) const;
  // The first column of the first row, as text.
  Result<std::string> Query(const std::string& sql) const;

 private:
  const std::string url_;
};

}  // namespace minichat::loadtest
