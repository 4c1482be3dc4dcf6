#pragma once

#include <vector>

#include "server/core/calls.h"

namespace minichat::core {

// Writes placed messages as rows and then tells the directory so: the one way into the store, for
// the persister and the janitor.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    Aborted when the rows' generation is not current; nothing was written then. Any other
//            error: the same rows may be written again.
class RowWriter {
 public:
  RowWriter(NodeContext& node, Membership& membership) : node_(node), membership_(membership) {}

  Task<Status> Write(std::vector<NewRow> rows, Generation generation);
  // The same refusal where no row is to be written: for what was decided in `generation`.
  Task<Status> Confirm(Generation generation);

 private:
  Status Refuse(Generation generation);
  Task<Status> Mark(std::vector<NewRow> rows, Generation generation);

  NodeContext& node_;
  Membership& membership_;
};

}  // namespace minichat::core
