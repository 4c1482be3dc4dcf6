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

 private:
  static constexpr std::size_t kRowsPerRound = 200;

  Task<void> Loop();
  Task<void> CleanRoutes();
  Task<void> StoreOld();

  NodeContext& node_;
  Membership& membership_;
  RowWriter& writer_;
};

}  // namespace minichat::core
