#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/core/ports/history_store.h"
#include "server/core/protocol_rules.h"

namespace minichat::memory {

struct StoreLimits {
  std::uint64_t bytes = 256ull << 20;  // of all rows; above, the oldest rows are dropped
  std::size_t dead_letters = 1000;     // above, the oldest letter is dropped
  // Current from the start. 1: several nodes share a directory and each has a store of its own,
  // where nothing would tell it of the rooms that the others have warmed.
  core::Generation current = 0;
};

// The rows as a pure state machine: each method is one transaction of core::HistoryStore.
//
// Threading: thread-compatible.
// Limits:    StoreLimits; what was dropped is counted.
class StoreState {
 public:
  explicit StoreState(StoreLimits limits = {}, core::ProtocolRules rules = {});

  core::Generation NextGeneration() { return ++last_generation_; }
  core::Generation CurrentGeneration() const { return current_; }
  core::WarmingFacts PrepareWarming(std::int64_t now_ms, const core::RoomId& room,
                                    core::Generation generation);
  std::optional<core::StoredRow> Lookup(const core::RoomId& room, const core::MessageId& id,
                                        const std::optional<core::MessageId>& variant,
                                        core::BodyHash hash) const;
  core::InsertReply Insert(std::int64_t now_ms, const std::vector<core::NewRow>& rows,
                           core::Generation generation);
  std::vector<core::PlacedMessage> Range(const core::RangeRequest& request) const;
  void AddDeadLetters(std::vector<core::DeadLetter> letters);

  const std::deque<core::DeadLetter>& dead_letters() const { return dead_letters_; }
  std::uint64_t dropped_rows() const { return dropped_rows_; }
  std::uint64_t dropped_letters() const { return dropped_letters_; }

  struct Row {
    core::PlacedMessage placed;
    std::int64_t written_at_ms = 0;
  };
  // All rows of a room, by seq; null: none.
  const std::map<core::Seq, Row>* RowsOf(const core::RoomId& room) const;

 private:
  struct Room {
    std::map<core::Seq, Row> rows;
    std::multimap<core::MessageId, core::Seq> by_id;
  };

  void Write(std::int64_t now_ms, const core::NewRow& row);
  void DropOldest();

  StoreLimits limits_;
  core::ProtocolRules rules_;
  core::Generation last_generation_ = 0;
  core::Generation current_ = 0;
  std::map<core::RoomId, Room> rooms_;
  std::deque<std::pair<core::RoomId, core::Seq>> by_age_;
  std::deque<core::DeadLetter> dead_letters_;
  std::uint64_t bytes_ = 0;
  std::uint64_t dropped_rows_ = 0;
  std::uint64_t dropped_letters_ = 0;
};

}  // namespace minichat::memory
