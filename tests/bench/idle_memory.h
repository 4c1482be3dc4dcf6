#pragma once

#include <string>

#include "tests/bench/bench_cluster.h"

namespace minichat::bench {

struct IdleMemory {
  std::size_t connections = 0;
  double kib_per_connection = 0;  // growth of the nodes' resident memory, by connection
};

// What an idle connection that has joined a room holds in a node: the resident memory of three
// nodes before and after so many have come, all into one room. The kernel's socket buffers are not
// in it.
//
// Threading: confined to the loop's thread. Blocks for some seconds.
Result<IdleMemory> MeasureIdleMemory(BenchCluster& cluster, std::size_t connections);

std::string ToTable(const IdleMemory& memory);

}  // namespace minichat::bench
