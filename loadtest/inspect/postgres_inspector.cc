#include "loadtest/inspect/postgres_inspector.h"

#include <pqxx/pqxx>

namespace minichat::loadtest {
namespace {

// {"a","b"}: names of rooms have neither quotes nor backslashes.
std::string ArrayOf(const std::vector<std::string>& names) {
  std::string array = "{";
  for (const std::string& name : names) {
    if (array.size() > 1) array += ',';
    array += '"' + name + '"';
  }
  return array + "}";
}

}  // namespace

Result<std::vector<StoredRow>> PostgresInspector::Rows(const std::string& room) const {
  try {
    pqxx::connection connection(url_);
    pqxx::read_transaction transaction(connection);
    const pqxx::result result = transaction.exec_params(
        "SELECT seq, id::text, sender, cid, body FROM messages WHERE room_id = $1 ORDER BY seq",
        room);
    std::vector<StoredRow> rows;
    for (const auto& row : result) {
      rows.push_back({row[0].as<std::uint64_t>(), row[1].c_str(), row[2].c_str(), row[3].c_str(),
                      row[4].c_str()});
    }
    return rows;
  } catch (const std::exception& e) {
    return Unavailable(std::string("postgres: ") + e.what());
  }
}

Result<std::uint64_t> PostgresInspector::CountRows(const std::vector<std::string>& rooms) const {
  try {
    pqxx::connection connection(url_);
    pqxx::read_transaction transaction(connection);
    return transaction
        .exec_params1("SELECT count(*) FROM messages WHERE room_id = ANY($1::text[])",
                      ArrayOf(rooms))[0]
        .as<std::uint64_t>();
  } catch (const std::exception& e) {
    return Unavailable(std::string("postgres: ") + e.what());
  }
}

Result<std::string> PostgresInspector::Query(const std::string& sql) const {
  try {
    pqxx::connection connection(url_);
    pqxx::work transaction(connection);
    const pqxx::result result = transaction.exec(sql);
    transaction.commit();
    if (result.empty()) return NotFound("postgres: no row");
    return std::string(result[0][0].c_str());
  } catch (const std::exception& e) {
    return Unavailable(std::string("postgres: ") + e.what());
  }
}

}  // namespace minichat::loadtest
