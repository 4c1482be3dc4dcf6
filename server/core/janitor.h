#pragma once

#include "server/core/room_table.h"
#include "server/core/row_writer.h"

namespace minichat::core {

// Cleans up after others: routes of dead incarnations, and messages that had a place for long and
// still have no row, which it writes from the window by the persister's own insert.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
class Janitor {
 public:
  Janitor(NodeContext& node, Membership& membership, RowWriter& writer)
      : node_(node), membership_(membership), writer_(writer) {}

  void Start() { node_.tasks.Spawn(Loop()); }

  // At a stop: rows for all that has a place by now, until `end` at the latest. When the whole
  // cluster stops nobody else writes the last ones, and when Redis stops with it a message without
  // a row gets a second number later.
  Task<void> StoreWhatIsLeft(TimePoint end);

 private:
  static constexpr std::size_t kRowsPerRound = 500;

  Task<void> Loop();
  Task<void> CleanRoutes();
  // How many were found.
  Task<Result<std::size_t>> StoreOlderThan(Duration age);

  NodeContext& node_;
  Membership& membership_;
  RowWriter& writer_;
};

}  // namespace minichat::core
