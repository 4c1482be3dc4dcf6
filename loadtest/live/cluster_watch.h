#pragma once

#include <thread>

#include "loadtest/client/cluster_admin.h"
#include "loadtest/live/live_board.h"

namespace minichat::loadtest {

// Looks at all nodes once a second, and sets the relay mode that the board wants.
//
// Lifetime:  the board outlives it; close the board before its end.
// Threading: on a thread of its own; blocks nobody else.
// Errors:    a node that does not answer is shown as down; a mode that could not be set, on the
// board.
class ClusterWatch {
 public:
  ClusterWatch(Cluster cluster, LiveBoard& board);
  ~ClusterWatch() = default;
  ClusterWatch(const ClusterWatch&) = delete;

 private:
  void Run();
  void Look();
  void SetMode(const std::string& mode);

  const Cluster cluster_;
  const ClusterAdmin admin_;
  LiveBoard& board_;
  FiguresFromScrapes figures_;
  std::jthread thread_;
};

}  // namespace minichat::loadtest
