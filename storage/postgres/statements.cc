#include "storage/postgres/statements.h"

#include <string>

namespace minichat::postgres {
namespace {

// Sorted by key in the batch, so that two writers never wait for each other in a circle.
constexpr const char* kInsertRowsSql = R"(
INSERT INTO messages (room_id, seq, id, sender, cid, kind, body, hash, sent_at,
                      partition, kafka_offset)
SELECT room_id, seq, id, sender, cid, kind, body, hash,
       TIMESTAMPTZ 'epoch' + sent_at_ms * INTERVAL '1 millisecond', log_partition, log_offset
FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::smallint[],
            $7::text[], $8::bigint[], $9::bigint[], $10::integer[], $11::bigint[])
  AS rows (room_id, seq, id, sender, cid, kind, body, hash, sent_at_ms, log_partition, log_offset)
ON CONFLICT (room_id, seq) DO NOTHING)";

constexpr const char* kFindTakenSql = R"(
SELECT rows.number - 1 AS index
FROM unnest($1::text[], $2::bigint[], $3::uuid[])
  WITH ORDINALITY AS rows (room_id, seq, id, number)
JOIN messages USING (room_id, seq)
WHERE messages.id <> rows.id)";

constexpr const char* kAddLettersSql = R"(
INSERT INTO dead_letters (topic, partition, kafka_offset, error, raw, room_id, seq)
SELECT $1, log_partition, log_offset, error, raw, room_id, seq
FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bytea[], $6::text[], $7::bigint[])
  AS letters (log_partition, log_offset, error, raw, room_id, seq)
ON CONFLICT DO NOTHING)";

// The highest number that the room has given out, of a row or a buried one. No age: no rows.
constexpr const char* kNewestRowSql = R"(
SELECT coalesce(greatest(newest.seq, buried.seq), 0) AS seq, newest.age_ms
FROM (SELECT max(seq) AS seq FROM dead_letters WHERE room_id = $1) AS buried
LEFT JOIN (SELECT seq, (extract(epoch FROM now() - stored_at) * 1000)::bigint AS age_ms
           FROM messages WHERE room_id = $1 ORDER BY seq DESC LIMIT 1) AS newest ON true)";

constexpr const char* kLookupSql = R"(
SELECT seq, hash, (extract(epoch FROM sent_at) * 1000)::bigint AS sent_at_ms
FROM messages WHERE id IN ($2::uuid, $3::uuid) AND room_id = $1
ORDER BY (hash = $4) DESC, seq LIMIT 1)";

// No row: no such room.
constexpr const char* kStandingSql = R"(
SELECT EXISTS (SELECT FROM room_members WHERE room_id = $1 AND user_id = $2)
FROM rooms WHERE room_id = $1)";

constexpr const char* kRevokeSql = R"(
INSERT INTO revocations (user_id, before)
VALUES ($1, TIMESTAMPTZ 'epoch' + $2::bigint * INTERVAL '1 millisecond')
ON CONFLICT (user_id) DO UPDATE SET before = greatest(revocations.before, excluded.before))";

constexpr const char* kRevocationsSql = R"(
SELECT user_id, (extract(epoch FROM before) * 1000)::bigint
FROM revocations
WHERE before > TIMESTAMPTZ 'epoch' + $1::bigint * INTERVAL '1 millisecond')";

std::string RangeSql(const std::string& order) {
  return "SELECT seq, id, sender, cid, kind, body, hash, "
         "(extract(epoch FROM sent_at) * 1000)::bigint AS sent_at_ms "
         "FROM messages WHERE room_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq " +
         order + " LIMIT $4";
}

void PrepareRoomStatements(pqxx::connection_base& connection) {
  connection.prepare(kCreateRoom, "INSERT INTO rooms (room_id) VALUES ($1) ON CONFLICT DO NOTHING");
  connection.prepare(kHoldRoom, "SELECT FROM rooms WHERE room_id = $1 FOR KEY SHARE");
  connection.prepare(kAddMember,
                     "INSERT INTO room_members (room_id, user_id) VALUES ($1, $2) "
                     "ON CONFLICT DO NOTHING");
  connection.prepare(kRemoveMember, "DELETE FROM room_members WHERE room_id = $1 AND user_id = $2");
  connection.prepare(kStanding, kStandingSql);
  connection.prepare(kMembers,
                     "SELECT user_id FROM room_members WHERE room_id = $1 AND user_id > $2 "
                     "ORDER BY user_id LIMIT $3");
  connection.prepare(kRevoke, kRevokeSql);
  connection.prepare(kRevocations, kRevocationsSql);
}

}  // namespace

void PrepareStatements(pqxx::connection_base& connection) {
  connection.prepare(kInsertRows, kInsertRowsSql);
  connection.prepare(kFindTaken, kFindTakenSql);
  connection.prepare(kAddLetters, kAddLettersSql);
  connection.prepare(kCurrentForShare, "SELECT n FROM current_generation FOR SHARE");
  connection.prepare(kCurrent, "SELECT n FROM current_generation");
  connection.prepare(kRaiseCurrent, "UPDATE current_generation SET n = $1 WHERE n < $1");
  connection.prepare(kNextGeneration, "INSERT INTO generations (run_id) VALUES ($1) RETURNING n");
  connection.prepare(kNewestRow, kNewestRowSql);
  connection.prepare(kLookup, kLookupSql);
  connection.prepare(kRangeFirst, RangeSql("ASC"));
  connection.prepare(kRangeLast, RangeSql("DESC"));
  PrepareRoomStatements(connection);
}

}  // namespace minichat::postgres
